import NIOCore
import NIOHTTP1

extension ResponseWriter {
    /// Answers with a problem details object (RFC 9457), after `fields`.
    func writeProblem(_ problem: Problem, _ fields: HTTPHeaders = HTTPHeaders()) {
        var fields = fields
        fields.add(name: "Content-Type", value: Problem.contentType)
        fields.add(name: "Cache-Control", value: "no-store")
        if problem.status == 401 { fields.add(name: "WWW-Authenticate", value: "Bearer") }
        let body = problem.json
        writeHead(HTTPResponseStatus(statusCode: problem.status), fields, contentLength: Int64(body.count))
        writeBody(ByteBuffer(bytes: body))
        finish()
    }
}
