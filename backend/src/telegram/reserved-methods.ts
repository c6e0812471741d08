/**
 * td_api methods that nobody calls through the API. The sessions module does the first three groups itself, and a call behind
 * its back would break a session; the last group leaks proxy passwords, opens connections around the proxy or writes to our log.
 */
const RESERVED_METHODS: ReadonlySet<string> = new Set([
  // A client's life.
  'close',
  'destroy',
  'logOut',
  'setTdlibParameters',
  'setDatabaseEncryptionKey',
  // Authentication.
  'setAuthenticationPhoneNumber',
  'setAuthenticationEmailAddress',
  'resetAuthenticationEmailAddress',
  'checkAuthenticationEmailCode',
  'checkAuthenticationCode',
  'checkAuthenticationPassword',
  'checkAuthenticationBotToken',
  'resendAuthenticationCode',
  'registerUser',
  'requestQrCodeAuthentication',
  'requestAuthenticationPasswordRecovery',
  'checkAuthenticationPasswordRecoveryCode',
  'recoverAuthenticationPassword',
  'sendAuthenticationFirebaseSms',
  'reportAuthenticationCodeMissing',
  'checkAuthenticationPremiumPurchase',
  'setAuthenticationPremiumPurchaseTransaction',
  'getAuthenticationPasskeyParameters',
  'checkAuthenticationPasskey',
  // Proxies.
  'addProxy',
  'editProxy',
  'removeProxy',
  'enableProxy',
  'disableProxy',
  'getProxies',
  'pingProxy',
  'testProxy',
  // The log, and a timer that answers whenever the caller likes.
  'setLogStream',
  'getLogStream',
  'setLogVerbosityLevel',
  'setLogTagVerbosityLevel',
  'addLogMessage',
  'setAlarm',
  // Answers with whatever error its caller likes, and the end of an authorization is told by an error.
  'testReturnError',
]);

/** Whether the gateway keeps a method for itself. Names are td_api's, compared exactly. */
export function isReservedMethod(method: string): boolean {
  return RESERVED_METHODS.has(method);
}
