//! Catching of panics in the engine, in a directive or in an in-process target. A panic fails only the cell in which
//! it happens.

use std::any::Any;
use std::backtrace::Backtrace;
use std::cell::RefCell;
use std::fmt;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

/// A panic that was caught.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaughtPanic {
    message: String,
    /// The source file, line and column of the panic, if they are known.
    location: Option<String>,
    /// The calls that led to the panic, innermost first. Empty if they are not known.
    frames: Vec<String>,
}

impl CaughtPanic {
    /// Returns the panic on one line, without its calls.
    #[must_use]
    pub fn summary(&self) -> String {
        self.to_string().lines().next().unwrap_or_default().to_owned()
    }
}

/// Displays the panic as `panicked at FILE:LINE:COLUMN: MESSAGE`, followed by one line for each call that led to it.
impl fmt::Display for CaughtPanic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("panicked")?;
        if let Some(location) = &self.location {
            write!(f, " at {location}")?;
        }
        write!(f, ": {}", self.message)?;
        self.frames.iter().enumerate().try_for_each(|(index, frame)| write!(f, "\n{index:>4}: {frame}"))
    }
}

/// Whether the current thread catches panics, and the panic that it has caught.
enum Capture {
    /// Panics are not caught.
    Off,
    /// A panic will be caught by [`catch`], which also records the calls that led to it, or by
    /// [`catch_without_calls`].
    Armed { records_calls: bool },
    /// A panic happened. It reaches [`catch`] unless other code catches it first; in that case, another panic can
    /// replace it.
    Seen { panic: CaughtPanic, records_calls: bool },
}

thread_local! {
    static CAPTURE: RefCell<Capture> = const { RefCell::new(Capture::Off) };
}

/// Runs a function and catches its panic. Nothing is printed. Panics outside of this function are handled by the
/// previous panic hook.
///
/// # Errors
/// Fails with the caught panic.
pub fn catch<T>(run: impl FnOnce() -> T) -> Result<T, Box<CaughtPanic>> {
    catch_recording(run, true)
}

/// Catches a panic as [`catch`] does, but does not record the calls that led to it. Recording them takes a thousand
/// times as long as the rest.
///
/// # Errors
/// Fails with the caught panic.
pub fn catch_without_calls<T>(run: impl FnOnce() -> T) -> Result<T, Box<CaughtPanic>> {
    catch_recording(run, false)
}

fn catch_recording<T>(run: impl FnOnce() -> T, records_calls: bool) -> Result<T, Box<CaughtPanic>> {
    install_hook();
    // A nested call restores the state of the outer call.
    let outer = CAPTURE.replace(Capture::Armed { records_calls });
    let result = panic::catch_unwind(AssertUnwindSafe(|| call_of_caught_function(run)));
    let capture = CAPTURE.replace(outer);
    result.map_err(|payload| match capture {
        Capture::Seen { panic, .. } => Box::new(panic),
        // The panic was not recorded, because other code replaced the panic hook.
        Capture::Off | Capture::Armed { .. } => {
            let message = payload_text(&*payload);
            Box::new(CaughtPanic { message, location: None, frames: Vec::new() })
        }
    })
}

/// Calls a function. In a backtrace, the name of this function marks where the caught function was called; the frames
/// of its callers differ between threads.
#[inline(never)]
fn call_of_caught_function<T>(run: impl FnOnce() -> T) -> T {
    let result = run();
    // Prevents a tail call, which would remove this frame from the backtrace.
    std::hint::black_box(());
    result
}

fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let is_caught = CAPTURE.try_with(|capture| {
                capture.try_borrow_mut().is_ok_and(|mut capture| match *capture {
                    Capture::Off => false,
                    Capture::Armed { records_calls } | Capture::Seen { records_calls, .. } => {
                        *capture = Capture::Seen { panic: describe(info, records_calls), records_calls };
                        true
                    }
                })
            });
            if !is_caught.unwrap_or(false) {
                previous(info);
            }
        }));
    });
}

fn describe(info: &PanicHookInfo<'_>, records_calls: bool) -> CaughtPanic {
    let calls = || relevant_frames(&Backtrace::force_capture().to_string());
    let frames = if records_calls { calls() } else { Vec::new() };
    CaughtPanic {
        message: payload_text(info.payload()),
        location: info.location().map(ToString::to_string),
        frames,
    }
}

fn payload_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}

/// Maximum number of calls that are recorded.
const MAX_FRAMES: usize = 40;

/// Returns the calls between the panic machinery and [`call_of_caught_function`], one line for each.
fn relevant_frames(backtrace: &str) -> Vec<String> {
    let mut frames: Vec<String> = Vec::new();
    for line in backtrace.lines().map(str::trim) {
        match (line.strip_prefix("at "), frames.last_mut()) {
            (Some(place), Some(frame)) => frame.extend([" at ", place]),
            _ => frames.push(line.split_once(": ").map_or(line, |(_, name)| name).to_owned()),
        }
    }
    let is_machinery = |frame: &String| {
        ["std::panicking::", "core::panicking::", "rust_begin_unwind", "std::panic::"]
            .iter()
            .any(|name| frame.contains(name))
    };
    let end = frames.iter().position(|frame| frame.contains("call_of_caught_function"));
    frames.truncate(end.unwrap_or(frames.len()));
    let start = frames.iter().rposition(is_machinery).map_or(0, |last| last + 1);
    frames.drain(..start);
    frames.truncate(MAX_FRAMES);
    frames
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_caught_with_its_message_location_and_calls() {
        #[inline(never)]
        fn innermost() -> u32 {
            panic!("boom {}", 7)
        }
        assert_eq!(catch(|| 3), Ok(3));
        let caught = catch(innermost).unwrap_err();
        let text = caught.to_string();
        let first = text.lines().next().unwrap_or_default();
        assert!(first.starts_with("panicked at ") && first.ends_with(": boom 7"), "{text}");
        assert!(first.contains("execute/panics.rs:"), "{text}");
        assert!(caught.frames[0].contains("innermost"), "{text}");
        assert!(!text.contains("std::panicking") && !text.contains("catch_unwind"), "{text}");
    }

    #[test]
    fn other_payloads_and_nested_panics_are_caught() {
        let outer = catch(|| {
            assert_eq!(
                catch(|| panic::panic_any(5)).map_err(|inner| inner.message),
                Err::<(), _>("a panic without a message".to_owned())
            );
            panic!("outer");
        });
        assert_eq!(outer.map_err(|caught| caught.message), Err::<(), _>("outer".to_owned()));
    }

    #[test]
    fn a_panic_elsewhere_goes_its_way() {
        let _: Result<(), _> = catch(|| panic!("here"));
        let thread = std::thread::Builder::new().name("elsewhere".to_owned());
        let elsewhere = thread.spawn(|| {
            let unwound = panic::catch_unwind(|| panic!("not ours"));
            unwound.is_err() && CAPTURE.with_borrow(|capture| matches!(capture, Capture::Off))
        });
        assert!(elsewhere.unwrap().join().unwrap());
    }
}
