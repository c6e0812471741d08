import { ValidationFailedError } from '../../common/errors/index.js';
import type { LoginAnswer, LoginPlan } from './login-plan.js';
import { normalizePhone } from './phone.js';
import type { CreateUserDto } from './session.dto.js';
import type { LoginStep } from './session-host.js';

/** How a new user session proves itself. @throws ValidationFailedError for a number that cannot be one */
export function loginPlanOf(user: CreateUserDto): LoginPlan & { kind: 'phone' | 'qr' } {
  if (user.method === 'qr') {
    return { kind: 'qr' };
  }
  if (user.phone === undefined || user.phone === '') {
    throw new ValidationFailedError([{ path: 'phone', message: 'phone is required' }]);
  }
  return { kind: 'phone', phone: normalizePhone(user.phone) };
}

/** What TDLib is told for an answer to a login, and the status in which it makes sense. */
export function answerOf(step: LoginStep): LoginAnswer {
  switch (step.step) {
    case 'code':
      return { status: 'awaiting_code', query: { '@type': 'checkAuthenticationCode', code: step.code } };
    case 'password':
      return {
        status: 'awaiting_password',
        query: { '@type': 'checkAuthenticationPassword', password: step.password },
      };
    case 'resend':
      return { status: 'awaiting_code', query: { '@type': 'resendAuthenticationCode' } };
    case 'email':
      return {
        status: 'awaiting_email',
        query: { '@type': 'setAuthenticationEmailAddress', email_address: step.email },
      };
    case 'email-code':
      return {
        status: 'awaiting_email_code',
        query: {
          '@type': 'checkAuthenticationEmailCode',
          code: { '@type': 'emailAddressAuthenticationCode', code: step.code },
        },
      };
    case 'recover':
      return { status: 'awaiting_password', query: { '@type': 'requestAuthenticationPasswordRecovery' } };
    case 'recover-code':
      return {
        status: 'awaiting_password',
        query: {
          '@type': 'recoverAuthenticationPassword',
          recovery_code: step.code,
          new_password: step.newPassword,
          new_hint: step.newHint,
        },
      };
    case 'register':
      return {
        status: 'awaiting_registration',
        query: { '@type': 'registerUser', first_name: step.firstName, last_name: step.lastName },
      };
  }
}
