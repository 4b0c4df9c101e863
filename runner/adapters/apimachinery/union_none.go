//go:build no_unions

package main

// This release does not validate unions.
var (
	unionKinds []string
	unionTasks []task
)
