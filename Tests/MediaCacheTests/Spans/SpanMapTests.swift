import MediaCache
import TestSupport
import Testing

struct SpanMapTests {
    @Test func matchesNaiveModel() {
        let seed: UInt64 = 7
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            var map = SpanMap()
            var model = [Bool](repeating: false, count: 200)
            for _ in 0..<60 {
                let lower = Int.random(in: 0..<200, using: &random)
                let upper = Int.random(in: lower...min(200, lower + 40), using: &random)
                let range = Int64(lower)..<Int64(upper)
                let isInsertion = Int.random(in: 0..<3, using: &random) > 0
                if isInsertion { map.insert(range) } else { map.remove(range) }
                for index in lower..<upper { model[index] = isInsertion }
            }
            #expect(map.byteCount == Int64(model.count { $0 }))
            #expect(map.upperBound == Int64((model.lastIndex(of: true) ?? -1) + 1))
            #expect(SpanMap(encoded: map.encoded) == map)
            for offset in 0..<200 {
                let span = map.span(at: Int64(offset))
                #expect((span != nil) == model[offset])
                if let span {
                    #expect(span.allSatisfy { model[Int($0)] })
                    #expect(span.upperBound == 200 || !model[Int(span.upperBound)])
                }
                let hole = map.hole(at: Int64(offset), limit: 200)
                let end = model[offset...].firstIndex(of: true) ?? 200
                #expect(hole == (model[offset] ? nil : Int64(offset)..<Int64(end)))
            }
            let lower = Int.random(in: 0..<150, using: &random)
            let range = Int64(lower)..<Int64(lower + 50)
            #expect(map.bytes(in: range) == Int64(model[lower..<lower + 50].count { $0 }))
            #expect(map.contains(range) == model[lower..<lower + 50].allSatisfy { $0 })
            #expect(map.spans(in: range).reduce(0) { $0 + $1.count } == model[lower..<lower + 50].count { $0 })
            let hole = model[lower..<lower + 50].firstIndex(of: false).map(Int64.init)
            #expect(map.holes(in: range).first?.lowerBound == hole)
        }
    }

    @Test func decodesDamagedDataWithoutCrash() {
        let seed: UInt64 = 8
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let good = SpanMap([0..<10, 20..<1 << 40, (1 << 41)..<(1 << 41) + 5]).encoded
        var refused = 0
        for _ in 0..<20_000 {
            var bytes = Bool.random(using: &random) ? good : []
            for _ in 0..<Int.random(in: 0..<8, using: &random) {
                bytes.append(UInt8.random(in: 0...255, using: &random))
            }
            if !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if let map = SpanMap(encoded: bytes) {
                #expect(map.spans.allSatisfy { $0.lowerBound >= 0 && !$0.isEmpty })
                #expect(map.byteCount >= 0)
            } else {
                refused += 1
            }
        }
        #expect(refused > 1000)
    }

    @Test(arguments: [0, 1, 127, 128, 16_383, 16_384, UInt64(Int64.max), .max])
    func decodesEncodedVarints(_ value: UInt64) {
        var writer = VarintWriter()
        writer.write(value)
        writer.write(fixed: 0xDEAD_BEEF)
        var reader = VarintReader(writer.bytes)
        #expect(reader.read() == value)
        #expect(reader.readFixed() == 0xDEAD_BEEF)
        #expect(reader.isAtEnd)
        #expect(reader.read() == nil)
        #expect(reader.readFixed() == nil)
    }

    @Test(
        arguments: [
            [0x80], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02],
            [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
        ] as [[UInt8]])
    func refusesOverlongVarints(_ bytes: [UInt8]) {
        var reader = VarintReader(bytes)
        #expect(reader.read() == nil)
    }
}
