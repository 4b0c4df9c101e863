# An adapter of a later release: it answers with version 2 of the protocol.
read -r _
echo '{"kind":"started","protocol":2,"name":"newer","supports":{"operations":[]}}'
read -r _
