import MediaCache
import Synchronization

/// One running answer: gives out the body step by step, and tells the origin what was taken. The in-process body and
/// the server's connections both walk through it.
final class ScriptedExchange: Sendable {
    enum Step {
        case bytes([UInt8])
        case wait(ScriptedGate)
        /// The body's end; truncated if more was announced.
        case end(isTruncated: Bool)
        case reset
    }

    private struct State {
        var body: ScriptedBody
        var sent: Int64 = 0
        var nextMark = 0
        var isOver = false
    }

    let reply: ScriptedReply
    let number: Int
    let url: ResourceURL
    private let origin: ScriptedOrigin
    private let state: Mutex<State>

    init(reply: ScriptedReply, number: Int, url: ResourceURL, origin: ScriptedOrigin) {
        self.reply = reply
        self.number = number
        self.url = url
        self.origin = origin
        state = Mutex(State(body: reply.body))
    }

    func step() -> Step {
        var replacement: ScriptedResource?
        let step = state.withLock { advance(&$0, replacement: &replacement) }
        if let replacement { origin[url] = replacement }
        switch step {
        case .bytes(let bytes): origin.didHandOver(bytes.count, request: number)
        case .wait: break
        case .end(let isTruncated): finish(isTruncated ? .broken : .complete)
        case .reset: finish(.broken)
        }
        return step
    }

    /// Says how it ended. Only the first call counts.
    func finish(_ progress: ScriptedRequest.Progress) {
        let isFirst = state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver
        }
        if isFirst { origin.didEnd(progress, request: number) }
    }

    private func advance(_ state: inout State, replacement: inout ScriptedResource?) -> Step {
        while state.nextMark < reply.marks.count, reply.marks[state.nextMark].position <= state.sent {
            switch reply.marks[state.nextMark].mark {
            case .wait(let gate):
                if !gate.isOpen { return .wait(gate) }
            case .reset:
                return .reset
            case .replace(let resource, let tearsBody):
                replacement = resource
                if tearsBody { state.body = resource.body }
            }
            state.nextMark += 1
        }
        let position = reply.range.lowerBound + state.sent
        guard position < reply.range.upperBound else { return .end(isTruncated: reply.isTruncated) }
        var end = min(reply.range.upperBound, position + Int64(reply.bufferSize))
        if state.nextMark < reply.marks.count {
            end = min(end, reply.range.lowerBound + reply.marks[state.nextMark].position)
        }
        state.sent += end - position
        return .bytes(state.body.bytes(in: position..<end))
    }
}
