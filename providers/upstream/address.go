package upstream

import (
	"errors"
	"net/netip"
	"syscall"
)

// errBlocked reports an address that the client does not connect to.
var errBlocked = errors.New("address is blocked")

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

var (
	// never are ranges where no model server lives: this network, link-local,
	// multicast, reserved, and the metadata services of clouds that are
	// outside the link-local range.
	never = prefixes(
		"0.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4",
		"100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32",
		"::/128", "fe80::/10", "ff00::/8", "fd00:ec2::254/128", "fd20:ce::254/128",
	)
	private = prefixes(
		"10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.0.0.0/24", "192.168.0.0/16", "198.18.0.0/15",
		"::1/128", "fc00::/7", "fec0::/10",
	)
	// embedding are the IPv6 ranges that stand for an IPv4 address, with the
	// position of its first byte.
	embedding = map[netip.Prefix]int{
		netip.MustParsePrefix("64:ff9b::/96"): 12,
		netip.MustParsePrefix("::/96"):        12,
		netip.MustParsePrefix("2002::/16"):    2,
	}
)

// AddressAllowed reports whether the client may connect to addr. Link-local
// addresses, where clouds keep their metadata service, are never allowed, nor
// are multicast and unspecified ones; loopback and private ranges only on
// request.
func AddressAllowed(addr netip.Addr, allowPrivate bool) bool {
	addr = addr.WithZone("").Unmap()
	if !addr.IsValid() || contains(never, addr) {
		return false
	}
	if contains(private, addr) {
		return allowPrivate
	}
	for prefix, at := range embedding {
		if prefix.Contains(addr) {
			b := addr.As16()
			return AddressAllowed(netip.AddrFrom4([4]byte(b[at:at+4])), allowPrivate)
		}
	}
	return true
}

func contains(list []netip.Prefix, addr netip.Addr) bool {
	for _, p := range list {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// control refuses a connection just before it is made. It sees the address
// that a name resolved to, so a name can't change its meaning afterwards.
// IsBlocked reports whether an error of a client says that the address is one
// that it may not connect to.
func IsBlocked(err error) bool { return errors.Is(err, errBlocked) }

func control(allowPrivate bool) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		ap, err := netip.ParseAddrPort(address)
		if err != nil || !AddressAllowed(ap.Addr(), allowPrivate) {
			return errBlocked
		}
		return nil
	}
}
