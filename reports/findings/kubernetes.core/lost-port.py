from ansible_collections.kubernetes.core.plugins.module_utils.apply import merge

service = {
    "apiVersion": "v1", "kind": "Service", "metadata": {"name": "dns"},
    "spec": {"ports": [{"port": 53, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}]},
}
last_applied = modified = live = service
patch = merge(last_applied, modified, live)
