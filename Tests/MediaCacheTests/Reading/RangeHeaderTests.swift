import Foundation
import MediaCache
import TestSupport
import Testing

struct RangeHeaderTests {
    /// A test vector of the corpus. Its source determines which field has the expected result.
    private struct Vector: Decodable {
        var source: String
        var header: String
        var length: Int64
        var rangesStartLength: [[Int64]]?
        var result: Result?
        var contentRange: String?

        enum Result: Decodable, Equatable {
            case code(Int)
            case ranges([[Int64]])

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let code = try? container.decode(Int.self) {
                    self = .code(code)
                } else {
                    self = .ranges(try container.decode([[Int64]].self))
                }
            }
        }
    }

    /// Vectors that their sources accept despite white space next to the equals sign or within a range.
    private static let spaced: Set = [
        "bytes=   1 -2   ,  4- 5, 7 - 8 , ,,", "bytes=   40-80 , 81-90 , -1 ", "bytes= \t9-21", "bytes=5 - 10",
        "bytes=-\t 5", "bytes \t =\t 6-",
    ]

    @Test(.enabled(if: try Prerequisite.hasCorpora())) func resolvesEveryVectorAsItsSourceDoes() throws {
        let data = try Data(contentsOf: Prerequisite.corpora.appending(path: "derived/http/range-parse-vectors.json"))
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let vectors = try decoder.decode([Vector].self, from: data)
        #expect(vectors.count == 104)
        for vector in vectors {
            let header = RangeHeader(vector.header)
            if Self.spaced.contains(vector.header) {
                #expect(header == nil, "\(vector.header) has white space where RFC 9110 §14.1.1 has none")
                continue
            }
            let ranges = header?.resolved(in: vector.length)
            if vector.source.hasPrefix("golang") {
                let expected = vector.rangesStartLength?.map { $0[0]..<$0[0] + $0[1] }
                #expect(ranges == expected, "\(vector.header) in \(vector.length)")
            } else if vector.source.hasPrefix("jshttp") {
                switch vector.result {
                case .code(-2): #expect(header == nil, "\(vector.header) is malformed")
                case .code: #expect(header != nil && ranges == nil, "\(vector.header) in \(vector.length)")
                case .ranges(let expected):
                    #expect(ranges == expected.map { $0[0]..<$0[1] + 1 }, "\(vector.header) in \(vector.length)")
                case nil: Issue.record("a vector without a result: \(vector.header)")
                }
            } else {
                // The source of these vectors parses only single ranges, and rejects lists.
                let single = vector.header.contains(",") ? nil : ranges?.first
                let contentRange = single.flatMap { ContentRange(range: $0, completeLength: vector.length).fieldValue }
                #expect(contentRange == vector.contentRange, "\(vector.header) in \(vector.length)")
            }
        }
    }

    @Test func clampsLargeNumbers() throws {
        #expect(RangeHeader("bytes=5-99999999999999999999999")?.resolved(in: 10) == [5..<10])
        #expect(try #require(RangeHeader("bytes=99999999999999999999999-")).resolved(in: 10) == nil)
    }

    @Test(arguments: [
        "bytes =0-9", "bytes=0- 9", "bytes =-9", "bytes= 0-9", "bytes=\t0-9", "bytes=0 -9", "bytes=- 9",
        "bytes=0- ,5-6 7", "bytes=0-4, 5 -9", " bytes=0-9",
    ])
    func rejectsWhiteSpaceWithinRange(_ text: String) {
        #expect(RangeHeader(text) == nil)
    }

    @Test(arguments: [
        ("bytes=0-4 ,\t7-8", [0..<5, 7..<9]), ("bytes= , 0-4", [0..<5]), ("bytes=0-4,, ,7-8 ", [0..<5, 7..<9]),
        ("bytes=0-4\t", [0..<5]),
    ])
    func acceptsWhiteSpaceAroundCommas(_ text: String, _ ranges: [Range<Int64>]) {
        #expect(RangeHeader(text)?.resolved(in: 10) == ranges)
    }

    @Test func treatsEmptySuffixAsUnsatisfiable() throws {
        #expect(try #require(RangeHeader("bytes=-0")).resolved(in: 10) == nil)
    }

    @Test func ignoresTooManyParts() {
        let parts = (0...RangeHeader.maximumParts).map { "\($0 * 2)-\($0 * 2)" }.joined(separator: ",")
        #expect(RangeHeader("bytes=\(parts)") == nil)
    }

    @Test func mergesOverlappingAndTouchingParts() {
        #expect(RangeHeader.coalesced([50..<60, 0..<10, 5..<20]) == [50..<60, 0..<20])
        #expect(RangeHeader.coalesced([0..<10, 20..<30, 10..<20]) == [0..<30])
        #expect(RangeHeader.coalesced([5..<6, 0..<1]) == [5..<6, 0..<1])
    }
}
