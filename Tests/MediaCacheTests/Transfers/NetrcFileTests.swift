import Foundation
import HTTPTypes
import MediaCache
import MediaCacheTesting
import Testing

struct NetrcFileTests {
    private static let text = """
        # The machine at home.
        machine nas.example login me password "pass \\"word\\""
        macdef init
        machine evil.example login x password y

        machine Media.Example
            login user:name
            password secret#1
            account ignored
        machine nologin.example password z
        machine ::1 login six password #6
        """

    @Test(arguments: [
        ("http://nas.example/a", #"me:pass "word""#), ("https://NAS.example:8443/b", #"me:pass "word""#),
        ("https://media.example/", "user:name:secret#1"), ("https://evil.example/", nil),
        ("https://nologin.example/", nil), ("http://[::1]:8080/", "six:#6"), ("https://a.nas.example/", nil),
    ])
    func sendsPasswordsToTheirMachines(_ url: String, _ expected: String?) throws {
        let file = try NetrcFile(Self.text)
        let basic = expected.map { "Basic " + Data($0.utf8).base64EncodedString() }
        #expect(file.authorization(for: try ResourceURL(url)) == basic)
    }

    @Test(arguments: [
        ("login a", 1), ("machine", 1), ("default login a password b", 1), ("machine a\nlogin", 2),
        ("machine a\npasword b", 2), ("machine \"a", 1),
    ])
    func rejectsInvalidFiles(_ text: String, _ line: Int) throws {
        let error = #expect(throws: CacheError.self) { try NetrcFile(text) }
        #expect(error?.code == .invalidSetting)
        #expect(error?.message.contains("pasword") == false, "a message must not contain a part of a password")
        #expect(error?.message.hasPrefix("line \(line) of the netrc file is invalid: ") == true, "\(error as Any)")
    }

    @Test func descriptionContainsNoPasswords() throws {
        let file = try NetrcFile(Self.text)
        #expect(!"\(file) \(String(reflecting: file))".contains("secret"))
        var dumped = ""
        dump(file, to: &dumped)
        #expect(!dumped.contains("secret"))
    }

    @Test func urlAndProfileHavePrecedence() throws {
        let url = try ResourceURL("https://nas.example/a")
        var settings = TransferSettings()
        settings.netrc = try NetrcFile(Self.text)
        #expect(settings.headerFields(for: url, now: .now)[.authorization]?.hasPrefix("Basic ") == true)
        settings.headerProfiles.add([.authorization: "Bearer t"], as: nil, to: url)
        #expect(settings.headerFields(for: url, now: .now)[.authorization] == "Bearer t")
        let other = try ResourceURL("https://u:p@nas.example/a")
        #expect(settings.headerFields(for: other, now: .now)[.authorization] == "Basic dTpw")
        #expect(settings.headerFields(for: try ResourceURL("https://b.example/"), now: .now)[.authorization] == nil)
    }
}
