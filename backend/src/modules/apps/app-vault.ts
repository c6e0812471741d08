/** An app as it is entered. */
export interface AppDraft {
  readonly apiId: number;
  readonly apiHash: string;
  readonly label?: string;
}

/** What of an app changes; `label: null` clears it. */
export interface AppChange {
  readonly apiId?: number;
  readonly apiHash?: string;
  readonly label?: string | null;
}

/** Writes apps with their secrets: where MASTER_KEY is, or through a worker. */
export abstract class AppVault {
  /** The new app's id. */
  abstract create(draft: AppDraft): Promise<string>;
  /** @throws NotFoundError */
  abstract change(id: string, change: AppChange): Promise<void>;
}
