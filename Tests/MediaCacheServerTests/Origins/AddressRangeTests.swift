import MediaCache
import Testing

@testable import MediaCacheServer

struct AddressRangeTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.0.0.0/8"), ("10.1.2.3/8", "10.0.0.0/8"), ("192.168.1.20", "192.168.1.20/32"),
        ("0.0.0.0/0", "0.0.0.0/0"), ("192.168.1.130/25", "192.168.1.128/25"), ("fd00::/8", "fd00::/8"),
        ("FE80:0::1", "fe80::1/128"), ("::1", "::1/128"), ("::/0", "::/0"),
        ("2001:db8:ffff::/33", "2001:db8:8000::/33"),
        ("::ffff:10.0.0.0/104", "10.0.0.0/8"), ("::ffff:10.1.2.3", "10.1.2.3/32"),
    ])
    func readsAndWritesCIDR(_ text: String, _ written: String) throws {
        let range = try #require(AddressRange(text))
        #expect(range.description == written)
        #expect(AddressRange(range.description) == range)
    }

    @Test(arguments: [
        "", "/", "10", "10.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8",
        "10.0.0.0/ 8", "256.0.0.1", "0x7f.0.0.1", "::1/129", ":::", "localhost", "[::1]", "fe80::1%eth0", "10.0.0.0/٨",
        "::ffff:10.0.0.0/8", "10.0.0.0/99999999999999999999",
    ])
    func rejectsInvalidRanges(_ text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.255.255", true), ("10.0.0.0/8", "11.0.0.0", false),
        ("10.0.0.0/8", "9.255.255.255", false), ("192.168.1.128/25", "192.168.1.127", false),
        ("192.168.1.128/25", "192.168.1.128", true), ("127.0.0.1", "127.0.0.1", true),
        ("127.0.0.1", "127.0.0.2", false), ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "::1", false),
        ("::/0", "10.0.0.1", false), ("fd00::/8", "fdff::1", true), ("fd00::/8", "fc00::1", false),
        ("10.0.0.0/8", "::ffff:10.1.1.1", true), ("10.0.0.0/8", "64:ff9b::10.1.1.1", true),
        ("10.0.0.0/8", "2002:0a01:0101::1", true), ("64:ff9b::/96", "64:ff9b::10.1.1.1", true),
    ])
    func containsAddresses(_ range: String, _ address: String, _ isInside: Bool) throws {
        let range = try #require(AddressRange(range))
        let address = try #require(IPAddress(address))
        #expect(range.contains(address) == isInside)
    }

    @Test(arguments: [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254",
        "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.168.0.1", "198.18.0.1",
        "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
        "::", "::1", "::10.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::127.0.0.1",
        "64:ff9b::192.168.0.1", "64:ff9b:1::8.8.8.8", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::",
        "2002:c0a8:1::1", "3fff::1", "5f00::1", "fc00::1", "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1", "4000::1",
    ])
    func recognizesLocalAddresses(_ text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.kind == .local)
        #expect(!AccessRule().permits(connected: address, scope: .publicOnly))
        #expect(AccessRule().permits(connected: address, scope: .any))
    }

    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.0", "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255", "192.169.0.0",
        "198.17.255.255", "198.20.0.0", "223.255.255.255", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1",
        "2001:4860:4860::8888", "2606:4700::1111", "2a00::1", "2001:200::1", "2001:db9::1",
    ])
    func recognizesGlobalAddresses(_ text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.kind == .global)
        #expect(AccessRule().permits(connected: address, scope: .publicOnly))
    }

    @Test func allowsOnlyGrantedNetworks() throws {
        let grants = [try #require(AddressRange("192.168.0.0/16")), try #require(AddressRange("::1"))]
        let rule = AccessRule(grants: grants)
        #expect(rule.permits(connected: IPAddress("192.168.7.7"), scope: .publicOnly))
        #expect(rule.permits(connected: IPAddress("::1"), scope: .publicOnly))
        #expect(!rule.permits(connected: IPAddress("10.0.0.1"), scope: .publicOnly))
        #expect(!rule.permits(connected: nil, scope: .publicOnly))
    }

    @Test func distinguishesAddressesFromNames() {
        #expect(IPAddress(host: "[::1]")?.description == "::1")
        #expect(IPAddress(host: "[fe80::1%25eth0]")?.description == "fe80::1")
        #expect(IPAddress(host: "127.0.0.1")?.description == "127.0.0.1")
        #expect(IPAddress(host: "example.com") == nil)
    }

    @Test(arguments: [
        "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7F.1", "0177.0.0.1", "017700000001", "127.0.0.1.",
        "127.0.0.0x1", "%31%32%37.0.0.1", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
    ])
    func parsesEverySpellingOfIPv4Address(_ host: String) {
        #expect(IPAddress(host: host)?.description == "127.0.0.1")
    }

    @Test(arguments: [
        "127.0.0.256", "1.2.3.4.5", "4294967296", "0x", "08.0.0.1", "1..2", "a.1", "-1", "+1", "0x-1", ".", "",
        "1.2.3.a",
    ])
    func doesNotParseHostNamesAsAddresses(_ host: String) {
        #expect(IPAddress(host: host).map { $0.description == "0.0.0.0" } ?? true)
    }
}
