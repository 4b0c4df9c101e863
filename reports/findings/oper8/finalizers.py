from oper8.patch_strategic_merge import patch_strategic_merge

live = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web", "finalizers": ["example.com/a"]}}
patch = {"metadata": {"finalizers": ["example.com/b"]}}
result = patch_strategic_merge(live, patch)
