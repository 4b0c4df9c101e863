from openshift.dynamic.apply import merge

policy = {
    "apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "web"},
    "spec": {"podSelector": {}, "ingress": [{}]},
}
last_applied = modified = live = policy
patch = merge(last_applied, modified, live)
