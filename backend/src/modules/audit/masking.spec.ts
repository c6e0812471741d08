import fc from 'fast-check';
import { masked } from './masking.js';

describe('what is kept of a body', () => {
  it('is what says what was done, and no secret, code, phone number or address in full', () => {
    expect(
      masked({
        token: '123456:AAsecret',
        phone: '+1 555 0142',
        code: 12345,
        password: 'hunter2',
        new_password: 'x',
        api_hash: '0123',
        secret: 'whsec_x',
        email: 'a@b.c',
        first_name: 'Ada',
        url: 'https://user:pass@hooks.example.com/path?key=secret',
        note: 'whatever comes later',
        label: 'mine',
        enabled: false,
        port: 1080,
        classes: ['read'],
        app_id: '00000000-0000-4000-8000-000000000001',
        filters: { types: ['updateNewMessage'], chats: [-1001] },
        absent: null,
      }),
    ).toEqual({
      token: '***',
      phone: '***42',
      code: '***',
      password: '***',
      new_password: '***',
      api_hash: '***',
      secret: '***',
      email: '***',
      first_name: '***',
      url: 'https://hooks.example.com',
      note: '***',
      label: 'mine',
      enabled: false,
      port: 1080,
      classes: ['read'],
      app_id: '00000000-0000-4000-8000-000000000001',
      filters: { types: ['updateNewMessage'], chats: [-1001] },
      absent: null,
    });
  });

  it('has of an address that is none of the web nothing', () => {
    expect(masked({ url: 'tg://login?token=AAAA' })).toEqual({ url: '***' });
    expect(masked({ url: 'nonsense' })).toEqual({ url: '***' });
  });

  it('has an end, and never throws, whatever is given', () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 12, maxKeys: 60 }), (object) => {
        masked(object);
      }),
    );
    const large = masked({ label: 'x'.repeat(1e6), types: Array(1e5).fill('updateNewMessage') });
    expect(JSON.stringify(large).length).toBeLessThan(2_000);
  });
});
