from oper8.patch_strategic_merge import patch_strategic_merge

live = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": [{"name": "app"}]}}
patch = {"spec": {"initContainers": [{"name": "debug", "$patch": "delete"}]}}
result = patch_strategic_merge(live, patch)
