package web

import (
	"testing"

	"go.uber.org/goleak"

	"countersign/web/connector/connectortest"
)

func TestMain(m *testing.M) {
	connectortest.Main()
	goleak.VerifyTestMain(m)
}
