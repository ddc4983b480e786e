import Foundation
import TestSupport
import Testing

struct PrerequisiteTests {
    @Test func skipsOptionalPrerequisite() throws {
        for environment in [[:], ["MEDIACACHE_REQUIRE_ALL": "0"], ["CI": "true"]] {
            #expect(try Prerequisite.isMet("a tool", true, in: environment))
            #expect(try !Prerequisite.isMet("a tool", false, in: environment))
        }
    }

    @Test func failsForMissingRequiredPrerequisite() throws {
        let environment = ["MEDIACACHE_REQUIRE_ALL": "1"]
        #expect(try Prerequisite.isMet("a tool", true, in: environment))
        let error = #expect(throws: Prerequisite.Missing.self) {
            try Prerequisite.isMet("a tool", false, in: environment)
        }
        #expect(error?.description.hasPrefix("a tool is missing, and MEDIACACHE_REQUIRE_ALL=1") == true)
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
            #expect(throws: Never.self) { try Prerequisite.isMet("a tool", false) }
        }
    }
}
