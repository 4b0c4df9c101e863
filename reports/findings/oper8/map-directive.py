from oper8.patch_strategic_merge import patch_strategic_merge

live = {
    "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"},
    "spec": {"containers": [{"name": "app", "securityContext": {"privileged": True}}]},
}
patch = {"spec": {"containers": [{"name": "app", "securityContext": {"$patch": "replace", "runAsNonRoot": True}}]}}
result = patch_strategic_merge(live, patch)
