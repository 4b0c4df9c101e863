from openshift.dynamic.apply import merge

header = {"apiVersion": "v1", "kind": "ConfigMap"}
last_applied = modified = {**header, "metadata": {"name": "web", "finalizers": ["example.com/a"]}}
live = {**header, "metadata": {"name": "web", "finalizers": ["example.com/a", "example.com/b"]}}
patch = merge(last_applied, modified, live)
