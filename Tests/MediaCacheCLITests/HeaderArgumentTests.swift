import HTTPTypes
import MediaCache
import Testing

@testable import MediaCacheCLI

struct HeaderArgumentTests {
    private func url(_ text: String) throws -> ResourceURL { try ResourceURL(text) }

    @Test func parsesFieldWithoutOrigin() throws {
        let argument = try HeaderArgument(parsing: "Cookie:  a=b; c=d ")
        #expect(argument.origin == nil)
        #expect(argument.name.rawName == "Cookie")
        #expect(argument.value == "a=b; c=d")
    }

    @Test(arguments: ["https://h.example:8443 X-Token: a:b", "https://h.example:8443: X-Token: a:b"])
    func parsesFieldWithOrigin(text: String) throws {
        let argument = try HeaderArgument(parsing: text)
        #expect(argument.origin?.authority == "h.example:8443")
        #expect(argument.name.rawName == "X-Token")
        #expect(argument.value == "a:b")
    }

    @Test(arguments: ["", "no colon", "https://h.example", "bad name: x", "X: a\u{1}b", "https:// X: y"])
    func rejectsInvalidFields(text: String) {
        #expect(throws: ArgumentTextError.self) { try HeaderArgument(parsing: text) }
    }

    @Test func requiresOriginWithoutURL() throws {
        let argument = try HeaderArgument(parsing: "X: y")
        let failure = #expect(throws: CommandFailure.self) { try HeaderProfiles([argument], for: nil) }
        #expect(failure?.exitCode == 64)
    }

    @Test func groupsFieldsByOrigin() throws {
        let arguments = try ["X: 1", "https://other.example Y: 2"].map(HeaderArgument.init(parsing:))
        let profiles = try HeaderProfiles(arguments, for: url("https://h.example/film.mp4"))
        #expect(profiles[try url("https://h.example/else")]?.fields.map(\.value) == ["1"])
        #expect(profiles[try url("https://other.example/")]?.fields.map(\.value) == ["2"])
        #expect(profiles[try url("http://h.example/")] == nil)
    }

    @Test func joinsFieldsOfOneName() throws {
        let arguments = try ["Accept-Language: de", "Accept-Language: en", "Cookie: a=1", "Cookie: b=2"]
            .map(HeaderArgument.init(parsing:))
        let origins = HeaderArgument.byOrigin(arguments, for: try url("http://h.example/x"))
        #expect(origins == ["http://h.example": ["Accept-Language": "de, en", "Cookie": "a=1; b=2"]])
    }
}
