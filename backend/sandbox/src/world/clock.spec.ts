import { VirtualClock } from './clock.js';

describe('the sandbox clock', () => {
  it('jumps forward and back', () => {
    const clock = new VirtualClock();
    const before = clock.seconds();
    clock.advance(86_400);
    expect(clock.seconds() - before).toBeGreaterThanOrEqual(86_400);
    clock.advance(-2 * 86_400);
    expect(clock.seconds()).toBeLessThan(before);
  });

  it('rings alarms that a jump passes, in the order of their times', () => {
    const clock = new VirtualClock();
    const rung: string[] = [];
    clock.at(clock.seconds() + 200, () => rung.push('second'));
    clock.at(clock.seconds() + 100, () => rung.push('first'));
    const cancel = clock.at(clock.seconds() + 150, () => rung.push('cancelled'));
    clock.at(clock.seconds() + 1_000_000_000, () => rung.push('much later'));
    cancel();
    clock.advance(500);
    expect(rung).toEqual(['first', 'second']);
    clock.clearAlarms();
  });
});
