// Go wants an assembly file in a package with functions that have no body.
