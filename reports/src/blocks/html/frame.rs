//! The frame of a page: its head, its style and its content security policy.

use std::io;

use super::markup::{Markup, escape};

/// Style of all pages.
pub(crate) const STYLE: &str = include_str!("style.css");

/// Content security policy of all pages.
const POLICY: &str =
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// Addition to the [`POLICY`] of a page with scripts.
const SCRIPT_POLICY: &str = "; script-src 'unsafe-inline'";

/// Writes a page with scripts. `style` is added to the [common style](STYLE), and `body` writes the content of the
/// body.
///
/// # Errors
///
/// Errors of writing.
pub(crate) fn write_application(
    title: &str,
    style: &str,
    out: &mut dyn io::Write,
    body: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
) -> io::Result<()> {
    out.write_all(head(title, style, SCRIPT_POLICY).as_bytes())?;
    body(out)?;
    out.write_all(FOOT.as_bytes())
}

/// Renders a page without scripts.
pub(crate) fn document(title: &str, content: &Markup) -> String {
    let head = head(title, "", "");
    format!("{head}<main class=\"page text article\">\n{}</main>\n{FOOT}", content.as_str())
}

const FOOT: &str = "</body>\n</html>\n";

/// Renders everything above the content of the body.
fn head(title: &str, style: &str, further_policy: &str) -> String {
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}{further_policy}\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>\n{STYLE}{style}</style>\n</head>\n<body>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_permits_no_script_and_loads_nothing() {
        let page = document("<title>", &Markup::from("<b>"));
        assert!(page.contains("<title>&lt;title&gt;</title>") && page.contains("&lt;b&gt;"), "{page}");
        assert!(page.contains("default-src 'none'") && !page.contains("script-src"), "{page}");
        assert!(!page.contains("src=\"") && !page.contains("url(") && !page.contains("@import"), "{page}");
        assert!(page.ends_with("</html>\n"), "{page}");
    }
}
