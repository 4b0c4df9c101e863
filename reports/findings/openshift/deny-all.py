from openshift.dynamic.apply import merge

policy = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "web"}}
last_applied = modified = {**policy, "spec": {"podSelector": {}, "ingress": []}}
live = {**policy, "spec": {"podSelector": {}, "ingress": [{}]}}
patch = merge(last_applied, modified, live)
