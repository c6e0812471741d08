export { generatedBytes, generatedPieces } from './world/generated.js';
export { Sandbox, type SandboxOptions } from './sandbox.js';
export type { SandboxEnv } from './tdlib/env-file.js';
export { UnpatchableLibraryError } from './tdlib/patched-library.js';
export { UnknownProxyError } from './proxy/proxies.js';
export type { Control, SandboxStats } from './control/control.js';
export type { ConnectionInfo, ProxyBehaviour, ProxyInfo, ProxyOptions } from './rpc.js';
