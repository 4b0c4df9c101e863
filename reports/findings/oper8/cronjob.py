from oper8.patch_strategic_merge import patch_strategic_merge

containers = [{"name": "app", "image": "app:1"}, {"name": "proxy", "image": "proxy:1"}]
live = {
    "apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "web"},
    "spec": {"jobTemplate": {"spec": {"template": {"spec": {"containers": containers}}}}},
}
changed = [{"name": "app", "image": "app:2"}]
patch = {"spec": {"jobTemplate": {"spec": {"template": {"spec": {"containers": changed}}}}}}
result = patch_strategic_merge(live, patch)
