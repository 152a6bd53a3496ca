# The targets are names; what they do is in .ci/.

.DEFAULT_GOAL := help
TEMPL := go tool -modfile=tools/go.mod templ

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: ## build and serve on http://127.0.0.1:8080, data in ./data (needs Go alone)
	@.ci/build
	@exec bin/countersign

.PHONY: dev
dev: ## serve, and rebuild and restart when a source file changes
	@.ci/dev

.PHONY: build
build: ## build bin/countersign, one static file
	@.ci/build

.PHONY: generate
generate: ## write the *_templ.go files anew
	@$(TEMPL) generate

.PHONY: test
test: ## the whole gate; sets up what it needs (Go, a C compiler, node, npm, apt)
	@.ci/gate

.PHONY: race
race: ## unit tests alone, with the race detector, in random order
	@.ci/gate unit

.PHONY: e2e
e2e: ## browser tests alone; RUN=TestName picks some
	@.ci/e2e $(if $(RUN),-v -run '$(RUN)')

.PHONY: lint
lint: ## every check of the gate that runs no test
	@.ci/gate gofmt generated rules tidy imports vet staticcheck

.PHONY: fmt
fmt: ## format Go and templ files
	@gofmt -w $$(git ls-files --cached --others --exclude-standard -- '*.go' ':!*_templ.go')
	@$(TEMPL) fmt .

.PHONY: bench
bench: ## benchmarks
	@go test -run='^$$' -bench=. -benchmem $$(go list ./... | grep -v '/e2e$$')

.PHONY: long
long: ## fuzzing, more property cases and repeated race tests (FUZZTIME, CHECKS, COUNT, KILLS, OPEN, RACES)
	@.ci/long

.PHONY: ci
ci: ## what continuous integration runs
	@bash .ci/run

.PHONY: clean
clean: ## remove what was built or installed here; ./data stays
	rm -rf bin .cache .tools e2e/artifacts
