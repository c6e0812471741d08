import type { FaultGate, FaultVerdict, RpcContext } from '../rpc.js';
import { RpcError } from '../rpc.js';
import type { TlObject } from '../schema/tl-object.js';
import { callInfo } from './call-info.js';
import type { Faults } from './faults.js';
import type { Rules } from './rules.js';

/** Injected faults first, then the standing limits: a test that injects something wants to see exactly that. */
export class Gate implements FaultGate {
  constructor(
    private readonly faults: Faults,
    private readonly rules: Rules,
  ) {}

  decide(context: RpcContext, query: TlObject): FaultVerdict | undefined {
    const call = callInfo(context, query);
    const fault = this.faults.take(call);
    if (fault) return fault;
    const wait = this.rules.admit(call);
    return wait === undefined ? undefined : { error: new RpcError(420, `FLOOD_WAIT_${String(wait)}`) };
  }
}
