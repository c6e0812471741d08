/** As far as tests use it; the package has no types. */
declare module 's3rver' {
  // eslint-disable-next-line no-restricted-syntax -- what the package exports is not ours to name
  export default class S3rver {
    constructor(options: {
      readonly address: string;
      readonly port: number;
      readonly silent: boolean;
      readonly directory: string;
      readonly configureBuckets: readonly { readonly name: string }[];
    });
    run(): Promise<{ readonly port: number }>;
    close(): Promise<void>;
  }
}
