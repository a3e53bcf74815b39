# A tool server (MCP) of four tools: `echo` says that it was called, `fail` fails, `refuse` is an error of the
# protocol, and `empty` returns no content.
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
  [ -n "$id" ] || continue
  answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
  tool() { printf '{"name":"%s","description":"Recorded.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}},"annotations":{"readOnlyHint":true,"destructiveHint":false,"openWorldHint":false}}' "$1"; }
  case "$line" in
    *'"method":"initialize"'*)
      version=$(printf '%s' "$line" | sed -n 's/.*"protocolVersion":"\([0-9-]*\)".*/\1/p')
      answer "{\"protocolVersion\":\"$version\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"tiny\",\"version\":\"1.0.0\"}}" ;;
    *'"method":"tools/list"'*) answer "{\"tools\":[$(tool echo),$(tool fail),$(tool refuse),$(tool empty)]}" ;;
    *'"method":"tools/call"'*'"name":"fail"'* | *'"name":"fail"'*'"method":"tools/call"'*)
      answer '{"content":[{"type":"text","text":"It failed."}],"isError":true}' ;;
    *'"method":"tools/call"'*'"name":"refuse"'* | *'"name":"refuse"'*'"method":"tools/call"'*)
      printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32042,"message":"No such thing."}}\n' "$id" ;;
    *'"method":"tools/call"'*'"name":"empty"'* | *'"name":"empty"'*'"method":"tools/call"'*)
      answer '{"content":[]}' ;;
    *'"method":"tools/call"'*)
      answer '{"content":[{"type":"text","text":"It was called."}],"structuredContent":{"called":true}}' ;;
    *'"method":"resources/templates/list"'*) answer '{"resourceTemplates":[]}' ;;
    *'"method":"resources/list"'*) answer '{"resources":[]}' ;;
    *) answer '{}' ;;
  esac
done
