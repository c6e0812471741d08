import { Injectable } from '@nestjs/common';

/** Takes an update of a session: its type and its JSON. Must not block. */
export type SessionUpdateListener = (type: string, update: string) => void;

/** Hands the updates of open sessions to whoever listens for a session; nobody, most of the time. */
@Injectable()
export class SessionUpdates {
  private readonly listeners = new Map<string, Set<SessionUpdateListener>>();

  publish(sessionId: string, type: string, update: string): void {
    for (const listener of this.listeners.get(sessionId) ?? []) {
      listener(type, update);
    }
  }

  /** @returns what takes the listener away */
  listen(sessionId: string, listener: SessionUpdateListener): () => void {
    const listeners = this.listeners.get(sessionId) ?? new Set();
    this.listeners.set(sessionId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.listeners.get(sessionId) === listeners) {
        this.listeners.delete(sessionId);
      }
    };
  }
}
