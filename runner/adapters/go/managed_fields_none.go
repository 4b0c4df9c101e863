//go:build no_managed_fields

package main

// The adapter does not call the field managers of this release.
var managedFieldsTasks []task

type typeConverters = map[string]any
