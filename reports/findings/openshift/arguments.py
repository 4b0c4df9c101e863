from openshift.dynamic.apply import merge

container = {"name": "app", "image": "app:1", "args": ["--prefix", "", "--verbose"]}
pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": [container]}}
last_applied = modified = live = pod
patch = merge(last_applied, modified, live)
