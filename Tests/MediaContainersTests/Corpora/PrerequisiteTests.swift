import Foundation
import TestSupport
import Testing

struct PrerequisiteTests {
    @Test func skipsOptionalPrerequisite() throws {
        var reports: [String] = []
        for environment in [[:], ["MEDIACACHE_REQUIRE_ALL": "0"], ["CI": "true"]] {
            #expect(try Prerequisite.isMet("a tool", true, in: environment))
            #expect(try !Prerequisite.isMet("a tool", false, in: environment, report: { reports.append($0) }))
        }
        #expect(reports == Array(repeating: "a tool is missing", count: 3))
    }

    @Test func failsForMissingRequiredPrerequisite() throws {
        let environment = ["MEDIACACHE_REQUIRE_ALL": "1"]
        #expect(try Prerequisite.isMet("a tool", true, in: environment))
        let error = #expect(throws: Prerequisite.Missing.self) {
            try Prerequisite.isMet("a tool", false, in: environment)
        }
        #expect(error?.description.hasPrefix("a tool is missing, and MEDIACACHE_REQUIRE_ALL=1") == true)
    }

    @Test func requiresCorporaUnlessOptionalOrDeclaredAbsent() throws {
        let missing = URL(filePath: "/nowhere/corpora")
        let present = URL(filePath: #filePath)
        let required = ["MEDIACACHE_REQUIRE_ALL": "1"]
        let absent = required.merging(["MEDIACACHE_CORPORA": "absent"]) { $1 }
        var reports: [String] = []
        #expect(try !Prerequisite.hasCorpora(at: missing, in: [:], report: { reports.append($0) }))
        #expect(try !Prerequisite.hasCorpora(at: missing, in: absent, report: { reports.append($0) }))
        #expect(try !Prerequisite.hasCorpora(at: present, in: absent, report: { reports.append($0) }))
        let declared = "the corpora are declared absent (MEDIACACHE_CORPORA=absent)"
        #expect(reports == ["/nowhere/corpora is missing", declared, declared])
        #expect(try Prerequisite.hasCorpora(at: present, in: required))
        #expect(throws: Prerequisite.Missing.self) { try Prerequisite.hasCorpora(at: missing, in: required) }
        let misspelt = ["MEDIACACHE_CORPORA": "absnet"]
        let error = #expect(throws: Prerequisite.Missing.self) {
            try Prerequisite.hasCorpora(at: present, in: misspelt)
        }
        #expect(error?.description.hasPrefix("MEDIACACHE_CORPORA is “absnet”") == true)
        // The other prerequisites remain required.
        #expect(throws: Prerequisite.Missing.self) { try Prerequisite.isMet("a tool", false, in: absent) }
    }

    @Test func failsWithoutCases() throws {
        #expect(try Prerequisite.cases([1], of: "a folder") == [1])
        let error = #expect(throws: Prerequisite.Missing.self) { try Prerequisite.cases([Int](), of: "a folder") }
        #expect(error?.description.hasPrefix("a folder has no cases") == true)
    }

    /// `.ci/run` sets the variable in the process's environment.
    @Test func readsEnvironment() {
        let isRequired = ProcessInfo.processInfo.environment["MEDIACACHE_REQUIRE_ALL"] == "1"
        if isRequired {
            #expect(throws: Prerequisite.Missing.self) { try Prerequisite.isMet("a tool", false) }
        } else {
            #expect(throws: Never.self) { try Prerequisite.isMet("a tool", false, report: { _ in }) }
        }
    }
}
