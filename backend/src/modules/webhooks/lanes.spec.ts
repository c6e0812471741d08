import { AppLogger } from '../../common/log/app-logger.js';
import { DeliveryClient } from './delivery-client.js';
import { Lanes } from './lanes.js';
import { LanesRepository } from './lanes.repository.js';

describe('Lanes', () => {
  it.each([-86_400_000, 86_400_000])('wait no longer and no shorter when the clock is set by %d ms', (jump) => {
    const lanes = new Lanes(
      Object.create(LanesRepository.prototype) as LanesRepository,
      Object.create(DeliveryClient.prototype) as DeliveryClient,
      { disabled: () => undefined, mayPost: () => true },
      Object.create(AppLogger.prototype) as AppLogger,
    );
    const before = lanes.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + jump);
    const passed = lanes.now() - before;
    clock.mockRestore();
    expect(passed).toBeGreaterThanOrEqual(0);
    expect(passed).toBeLessThan(60_000);
  });
});
