import HTTPTypes
import MediaCache
import Testing

struct HeaderProfilesTests {
    @Test func addsFieldsToOneOrigin() throws {
        var profiles = HeaderProfiles()
        profiles[try ResourceURL("http://h/")] = HeaderProfiles.Profile(fields: [.referer: "http://r/", .cookie: "a=1"])
        let identity = ProfileIdentity(user: "one")
        profiles.add([.cookie: "b=2"], as: identity, to: try ResourceURL("http://H:80/film.mp4"))
        let added = HeaderProfiles.Profile(fields: [.referer: "http://r/", .cookie: "b=2"], identity: identity)
        #expect(try profiles[ResourceURL("http://h/other")] == added)
        #expect(try profiles[ResourceURL("https://h/")] == nil)
        #expect(try profiles[ResourceURL("http://h:81/")] == nil)
        // Without an identity, the existing one remains.
        profiles.add([:], as: nil, to: try ResourceURL("http://h/"))
        #expect(try profiles[ResourceURL("http://h/")] == added)
    }

    @Test func createsFieldsFromNamesAndValues() throws {
        #expect(try HTTPFields(named: ["X-Token": "hush", "Cookie": "a=1"])[.cookie] == "a=1")
    }

    @Test(arguments: [["no name": "x"], ["": "x"], ["X": "a\nb"], ["X": "a\u{0}"]])
    func refusesInvalidFields(_ headers: [String: String]) {
        let error = #expect(throws: CacheError.self) { try HTTPFields(named: headers) }
        #expect(error?.code == .invalidSetting)
    }
}
