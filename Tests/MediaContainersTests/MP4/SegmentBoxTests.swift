import MediaContainers
import TestSupport
import Testing

struct SegmentBoxTests {
    @Test(.enabled(if: try Prerequisite.hasCorpora()))
    func segmentIndexIsTheGoldenOne() throws {
        let source = MemorySource(try Corpora.bytes("eyevinn-mp4ff/mp4/testdata/moof_enc.m4s"))
        var boxes = TopLevelBoxes(source)
        var found: SegmentIndex?
        var end: Int64 = 0
        while found == nil, let header = try boxes.next() {
            guard header.type == "sidx" else { continue }
            found = try SegmentIndex(payload: source.bytes(header.payload, limit: 1000), header: header)
            end = header.end
        }
        let index = try #require(found)
        #expect(index.trackID == 1 && index.timescale == 24)
        #expect(index.earliestPresentationTime == 0 && index.firstOffset == end)
        #expect(index.references.count == 1)
        let reference = try #require(index.references.first)
        #expect(!reference.isIndex && reference.size == 93848 && reference.duration == 96)
        #expect(reference.startsWithSAP && reference.typeOfSAP == 1)
    }

    @Test func indexWithFewerReferencesThanItSaysIsTruncated() {
        let payload: [UInt8] = [0, 0, 0, 0] + [UInt8](repeating: 0, count: 18) + [0, 9] + [1, 2, 3]
        let error = #expect(throws: ContainerError.self) {
            try SegmentIndex(payload: payload, header: BoxHeader(type: "sidx", offset: 50, size: 35))
        }
        #expect(error?.code == .truncated)
        #expect(error?.offset == 82)
    }

    /// Version 0: strings first, a time that counts from the segment; version 1: strings last, a 64-bit time.
    @Test func eventMessagesOfBothVersionsSayTheSame() throws {
        let strings = Array("urn:a".utf8) + [0] + Array("b".utf8) + [0]
        let scale: [UInt8] = [0, 0, 3, 0xE8]
        let rest: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 7]
        let first = try EventMessage(
            payload: [0, 0, 0, 0] + strings + scale + [0, 0, 0, 9] + rest + [1, 2])
        let second = try EventMessage(
            payload: [1, 0, 0, 0] + scale + [0, 0, 0, 0, 0, 0, 0, 9] + rest + strings + [1, 2])
        #expect(first.isRelative && !second.isRelative)
        for event in [first, second] {
            #expect(event.scheme == "urn:a" && event.value == "b" && event.timescale == 1000)
            #expect(event.time == 9 && event.duration == nil && event.id == 7 && event.message == [1, 2])
        }
    }

    @Test func eventMessageWithoutEndOfStringIsTruncated() {
        let error = #expect(throws: ContainerError.self) { try EventMessage(payload: [0, 0, 0, 0] + Array("ur".utf8)) }
        #expect(error?.code == .truncated)
    }
}
