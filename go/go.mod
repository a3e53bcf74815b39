module github.com/codex-wire/codex-wire/go

go 1.23
