import { Injectable } from '@nestjs/common';
import { CallLines, type LineCall } from '../../common/cluster/index.js';
import { existingId } from '../../common/http/index.js';
import { Departure } from '../../telegram/index.js';
import type { CallBody, SessionKind } from './session.dto.js';
import { SessionHost } from './session-host.js';

/** Runs the calls that gateways send over their lines. */
@Injectable()
export class SessionCalls {
  constructor(
    lines: CallLines,
    private readonly host: SessionHost,
  ) {
    lines.serveWith((call, onAbandoned) => this.run(call, onAbandoned));
  }

  private run(
    { kind, sessionId, body }: LineCall,
    onAbandoned: (listener: () => void) => void,
  ): ReturnType<SessionHost['call']> {
    const caller = new Departure();
    onAbandoned(() => caller.leave());
    // Another kind than these two is that of no session, which the host says.
    return this.host.call(kind as SessionKind, existingId('session', sessionId), JSON.parse(body) as CallBody, caller);
  }
}
