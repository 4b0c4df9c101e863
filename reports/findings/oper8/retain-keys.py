from oper8.patch_strategic_merge import patch_strategic_merge

live = {
    "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
    "spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 2}}},
}
patch = {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}
result = patch_strategic_merge(live, patch)
