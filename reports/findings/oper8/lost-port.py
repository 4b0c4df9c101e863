from oper8.patch_strategic_merge import patch_strategic_merge

live = {
    "apiVersion": "v1", "kind": "Service", "metadata": {"name": "dns"},
    "spec": {"ports": [{"port": 53, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}]},
}
patch = {"spec": {"ports": [{"port": 9153}]}}
result = patch_strategic_merge(live, patch)
