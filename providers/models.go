package providers

import "context"

// A ModelLister can say which models its service offers.
type ModelLister interface {
	// Models returns ids in the order of the service. The list is cut after
	// 1,000, and ids that could not be shown are left out. A service without
	// a list is an error like any other: that says nothing of its models.
	Models(ctx context.Context) ([]string, error)
}
