//! Axes and what their values contribute; conditions over them.

use skewer_engine::skew::{Edit, Intent, Selector};
use skewer_engine::{Doc, OwnedDoc};

use crate::format::{AxesFile, IntentFile, Named, OneOrMore, SettingFile};
use crate::model::{Axis, Condition, Setting};
use crate::parties;
use crate::yaml::{Diagnostics, Present, Spanned, nearest};

/// The axes of a case: the suite's, then its own.
pub(crate) fn resolve(suite: &AxesFile, case: &AxesFile, diagnostics: &Diagnostics) -> Vec<Axis> {
    let mut axes: Vec<Axis> = Vec::new();
    for (name, values) in suite.0.iter().chain(&case.0) {
        name_is_plain(name, "an axis", diagnostics);
        if values.0.is_empty() {
            diagnostics
                .error(name.span, format!("the axis `{name}` has no value"))
                .help("an axis has at least one");
            continue;
        }
        let settings = values.0.iter().map(|(value, file)| {
            name_is_plain(value, "a value", diagnostics);
            (value.value.clone(), setting(file, diagnostics))
        });
        let found = Axis { name: name.value.clone(), values: settings.collect() };
        match axes.iter_mut().find(|held| held.name == found.name) {
            // A case that names an axis of its suite has its own values there.
            Some(held) => *held = found,
            None => axes.push(found),
        }
    }
    axes
}

/// Names become parts of cell ids, which have `[`, `,`, `=` and `/` of their own.
pub(crate) fn name_is_plain(name: &Spanned<String>, what: &str, diagnostics: &Diagnostics) {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '$' | '+');
    if name.is_empty() || !name.chars().all(plain) {
        diagnostics
            .error(name.span, format!("`{name}` cannot name {what}"))
            .help("letters, digits and - _ . $ + are what cell ids are made of");
    }
}

/// Reads one value of an axis, or what a case says itself.
pub(crate) fn setting(file: &SettingFile, diagnostics: &Diagnostics) -> Setting {
    let party = |file: &Option<crate::format::PartyFile>| {
        file.as_ref().map(|file| parties::resolve(file, diagnostics)).unwrap_or_default()
    };
    let document = |value: &Present<OwnedDoc>| value.as_ref().cloned();
    Setting {
        client: party(&file.client),
        server: party(&file.server),
        live: document(&file.live),
        last_applied: document(&file.last_applied),
        patch: document(&file.patch),
        original: document(&file.original),
        modified: document(&file.modified),
        intent: file.intent.as_ref().map(|intent| self::intent(intent, diagnostics)),
        request: file.request,
    }
}

fn intent(file: &IntentFile, diagnostics: &Diagnostics) -> Intent {
    let place = |text: &Spanned<String>| match text.parse::<Selector>() {
        Ok(selector) => Some(selector),
        Err(error) => {
            diagnostics.error(text.span, skewer_engine::Error::to_string(&error));
            None
        }
    };
    let mut edits = Vec::new();
    edits.extend(file.set.as_ref().cloned().map(Edit::Set));
    edits.extend(
        file.choose
            .iter()
            .filter_map(|c| Some(Edit::Choose { selector: place(&c.at)?, fields: c.fields.clone() })),
    );
    edits.extend(file.select.iter().filter_map(|s| {
        Some(Edit::Select {
            selector: place(&s.at)?,
            member: s.member.as_str().into(),
            value: s.value.clone(),
        })
    }));
    edits.extend(file.clear.iter().filter_map(|at| Some(Edit::Clear(place(at)?))));
    edits.extend(
        file.add.iter().filter_map(|a| Some(Edit::Add { selector: place(&a.at)?, item: a.item.clone() })),
    );
    edits.extend(file.remove.iter().filter_map(|at| Some(Edit::Remove(place(at)?))));
    edits.extend(
        file.order
            .iter()
            .filter_map(|o| Some(Edit::Order { selector: place(&o.at)?, order: o.order.clone() })),
    );
    Intent(edits)
}

impl Setting {
    /// Lays the contribution of an axis over what is there.
    pub(crate) fn overlay(&mut self, piece: &Setting) {
        self.client.overlay(&piece.client);
        self.server.overlay(&piece.server);
        for (document, piece) in [
            (&mut self.live, &piece.live),
            (&mut self.last_applied, &piece.last_applied),
            (&mut self.patch, &piece.patch),
            (&mut self.original, &piece.original),
            (&mut self.modified, &piece.modified),
        ] {
            match (document.as_mut(), piece) {
                (Some(document), Some(piece)) => lay_over(document, piece),
                (None, Some(piece)) => *document = Some(piece.clone()),
                (_, None) => {}
            }
        }
        if let Some(more) = &piece.intent {
            self.intent.get_or_insert_default().0.extend(more.0.iter().cloned());
        }
        self.request = piece.request.or(self.request);
    }
}

/// Maps are gone into; anything else takes the place of what was there.
fn lay_over(document: &mut OwnedDoc, piece: &OwnedDoc) {
    match (document, piece) {
        (Doc::Map(document), Doc::Map(piece)) => {
            for (key, piece) in piece.iter() {
                match document.get_mut(key) {
                    Some(held) => lay_over(held, piece),
                    None => {
                        document.insert(key.clone(), piece.clone());
                    }
                }
            }
        }
        (document, piece) => *document = piece.clone(),
    }
}

/// Reads a `when`. Unknown axes and values are reported with what is near.
pub(crate) fn condition(when: &Named<OneOrMore>, axes: &[Axis], diagnostics: &Diagnostics) -> Condition {
    let mut condition = Condition::default();
    for (name, values) in &when.0 {
        let Some(index) = axes.iter().position(|axis| axis.name == name.value) else {
            unknown(name, "axis", axes.iter().map(|axis| axis.name.as_str()), diagnostics);
            continue;
        };
        let wanted = values.0.iter().filter_map(|value| {
            let found = axes[index].values().position(|known| known == value.value);
            if found.is_none() {
                unknown(value, &format!("value of the axis `{name}`"), axes[index].values(), diagnostics);
            }
            found
        });
        condition.0.push((index, wanted.collect()));
    }
    condition
}

pub(crate) fn unknown<'a>(
    name: &Spanned<String>,
    what: &str,
    known: impl Iterator<Item = &'a str> + Clone,
    diagnostics: &Diagnostics,
) {
    let near = nearest(name, known.clone());
    let hint = near.map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
    let pending = diagnostics.error(name.span, format!("there is no {what} `{name}`{hint}"));
    if near.is_none() {
        let known: Vec<_> = known.collect();
        let help = if known.is_empty() {
            "there is none".to_owned()
        } else {
            format!("there is {}", known.join(", "))
        };
        pending.help(help);
    }
}
