//! Converts axes, the settings of their values, and conditions on axes to the checked model.

use skewer_engine::directive::DirectiveSet;
use skewer_yaml::{Diagnostics, Spanned};

use crate::format::{AxesSpec, OneOrMore, OrderedMap, OverlaySpec, renamed_request};
use crate::model::{Axis, Condition, Overlay};
use crate::names::{check_characters, report_unknown, report_unknown_value};
use crate::setting::Setting;

/// Returns the axes of a case: those of the suite, then those of the case.
pub(super) fn resolve_axes(
    suite: &AxesSpec,
    case: &AxesSpec,
    all_directives: &DirectiveSet,
    diagnostics: &Diagnostics,
) -> Vec<Axis> {
    let mut axes: Vec<Axis> = Vec::new();
    for (name, values) in suite.0.iter().chain(&case.0) {
        check_characters(name, "an axis", diagnostics);
        if values.0.is_empty() {
            diagnostics
                .error(name.span, format!("the axis `{name}` has no value"))
                .help("add a value, or remove the axis");
            continue;
        }
        let settings = values.0.iter().map(|(value, spec)| {
            check_characters(value, "a value", diagnostics);
            (value.value.clone(), Setting::resolve(spec, all_directives, diagnostics))
        });
        let resolved = Axis { name: name.value.clone(), values: settings.collect() };
        match axes.iter_mut().find(|other| other.name == resolved.name) {
            // An axis of the case replaces the axis of the suite with the same name.
            Some(of_suite) => *of_suite = resolved,
            None => axes.push(resolved),
        }
    }
    axes
}

/// Returns the overlays of a case: those of the suite, then those of the case.
pub(super) fn resolve_overlays(
    suite: &[Spanned<OverlaySpec>],
    case: &[Spanned<OverlaySpec>],
    axes: &[Axis],
    all_directives: &DirectiveSet,
    diagnostics: &Diagnostics,
) -> Vec<Overlay> {
    let resolve = |spec: &Spanned<OverlaySpec>| {
        let OverlaySpec { when, setting } = &spec.value;
        // After another error, the overlay may only look empty, because of a misspelt key.
        if setting.is_empty() && diagnostics.is_empty() {
            diagnostics
                .error(spec.span, "this overlay contributes nothing")
                .help("add a key to it, or remove it");
        }
        Overlay {
            condition: resolve_condition(&when.value, axes, diagnostics),
            setting: Setting::resolve(setting, all_directives, diagnostics),
        }
    };
    suite.iter().chain(case).map(resolve).collect()
}

/// Converts a `when` to a condition. Unknown axes and values are reported with a suggestion.
pub(super) fn resolve_condition(
    when: &OrderedMap<OneOrMore>,
    axes: &[Axis],
    diagnostics: &Diagnostics,
) -> Condition {
    let mut condition = Condition::default();
    for (name, values) in &when.0 {
        let Some(axis_index) = axes.iter().position(|axis| axis.name == name.value) else {
            report_unknown(name, "axis", axes.iter().map(|axis| axis.name.as_str()), diagnostics);
            continue;
        };
        let value_indices = values.0.iter().filter_map(|value| {
            let is_request = name.value == "request";
            let present = renamed_request(value).filter(|_| is_request).unwrap_or(&value.value);
            let index = axes[axis_index].values().position(|known| known == present);
            if index.is_none() {
                report_unknown_value(value, name, axes[axis_index].values(), diagnostics);
            }
            index
        });
        condition.0.push((axis_index, value_indices.collect()));
    }
    condition
}
