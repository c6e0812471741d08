import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * A client that sends `Expect: 100-continue` waits with its body. Node would tell it at once to go on; here it is told when somebody
 * begins to read, so that whoever is refused before has sent nothing.
 */
export function continueWhenRead(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    const read = request._read.bind(request);
    let isTold = false;
    request._read = (size) => {
      // What is left of a body is read after the answer as well.
      if (!isTold && !response.headersSent) {
        isTold = true;
        response.writeContinue();
      }
      read(size);
    };
    server.emit('request', request, response);
  });
}
