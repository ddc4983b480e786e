import HTTPTypes
import MediaCache
import Testing

@testable import MediaCacheCurl

struct CurlHeadTests {
    /// Receives the lines of a head, each with its end, and the empty line after them.
    private func head(_ lines: [String]) throws -> CurlHead {
        var head = CurlHead()
        for line in lines + [""] {
            let bytes = Array((line + "\r\n").utf8)
            try bytes.withUnsafeBytes { try head.receive($0, from: "origin.example") }
        }
        return head
    }

    @Test func joinsFoldedLines() throws {
        let head = try head(["HTTP/1.1 200 OK", "Server: a", " \tb  ", "\tc", "ETag: \"1\""])
        #expect(head.isComplete && head.status == 200)
        #expect(head.fields[.server] == "a b c")
        #expect(head.fields[.eTag] == "\"1\"")
    }

    /// Each line costs time in proportion to the value before it.
    @Test func rejectsLongFoldedField() {
        let lines = ["HTTP/1.1 200 OK", "Server: a"] + Array(repeating: " b", count: 8 << 10)
        #expect(throws: CacheError.self) { try head(lines) }
    }

    @Test func rejectsLongHeaderSection() throws {
        let field = "Server: " + String(repeating: "a", count: 1014)
        #expect(try head(["HTTP/1.1 200 OK"] + Array(repeating: field, count: 200)).isComplete)
        #expect(throws: CacheError.self) { try head(["HTTP/1.1 200 OK"] + Array(repeating: field, count: 256)) }
    }

    @Test func discardsInterimResponse() throws {
        var head = try head(["HTTP/1.1 103 Early Hints", "Server: early"])
        #expect(!head.isComplete)
        for line in ["HTTP/1.1 204 No Content\r\n", "Age: 1\r\n", "\r\n"] {
            try Array(line.utf8).withUnsafeBytes { try head.receive($0, from: "origin.example") }
        }
        #expect(head.isComplete && head.status == 204)
        #expect(head.fields[.server] == nil && head.fields[.age] == "1")
    }
}
