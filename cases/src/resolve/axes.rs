//! Converts axes, the settings of their values, and conditions on axes to the checked model.

use std::collections::HashSet;

use skewer_engine::directive::DirectiveSet;
use skewer_yaml::{Diagnostics, Spanned};

use crate::format::{AxesSpec, OneOrMore, OrderedMap, OverlaySpec, renamed_request};
use crate::model::{AllowedValues, Axis, Condition, Overlay};
use crate::names::{check_characters, report_unknown_axis, report_unknown_value};
use crate::setting::Setting;

/// The axes of a case, with its id for messages: a condition of the suite applies to each of its cases.
#[derive(Clone, Copy)]
pub(super) struct CaseAxes<'a> {
    pub(super) case: &'a str,
    pub(super) axes: &'a [Axis],
}

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
        let mut known = HashSet::new();
        let settings = values.0.iter().map(|(value, spec)| {
            check_characters(value, "a value", diagnostics);
            if !known.insert(value.as_str()) {
                diagnostics
                    .error(value.span, format!("the axis `{name}` has the value `{value}` twice"))
                    .help("remove one of them: both would be the same cells");
            }
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
    axes: CaseAxes<'_>,
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

/// Converts a `when` to a condition. Unknown axes and values are reported with a suggestion. A condition of the suite is
/// reported for the first case that it does not fit.
pub(super) fn resolve_condition(
    when: &OrderedMap<OneOrMore>,
    CaseAxes { case, axes }: CaseAxes<'_>,
    diagnostics: &Diagnostics,
) -> Condition {
    let mut condition = Condition::default();
    for (name, values) in &when.0 {
        let Some(axis_index) = axes.iter().position(|axis| axis.name == name.value) else {
            if !diagnostics.has_error_in(name.span) {
                let names: Vec<&str> = axes.iter().map(|axis| axis.name.as_str()).collect();
                report_unknown_axis(name, case, &names, diagnostics);
            }
            continue;
        };
        let value_indices = values.0.iter().filter_map(|value| {
            let is_request = name.value == "request";
            let present = renamed_request(value).filter(|_| is_request).unwrap_or(&value.value);
            let index = axes[axis_index].values().position(|known| known == present);
            if index.is_none() && !diagnostics.has_error_in(value.span) {
                report_unknown_value(value, name, axes[axis_index].values(), diagnostics);
            }
            index
        });
        condition.0.push(AllowedValues::new(axis_index, axes[axis_index].values.len(), value_indices));
    }
    condition
}
