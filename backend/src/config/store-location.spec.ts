import { parseStoreLocation } from './store-location.js';

describe('parseStoreLocation', () => {
  it('takes a folder, and a bucket with what is to be known of it', () => {
    expect(parseStoreLocation('file:///mnt/my%20states')).toEqual({ kind: 'file', dir: '/mnt/my states' });
    expect(parseStoreLocation('s3://states')).toEqual({
      kind: 's3',
      bucket: 'states',
      prefix: '',
      endpoint: undefined,
      region: 'us-east-1',
    });
    expect(parseStoreLocation('s3://my.bucket/a/b/?endpoint=http://127.0.0.1:9000&region=eu-1')).toEqual({
      kind: 's3',
      bucket: 'my.bucket',
      prefix: 'a/b/',
      endpoint: 'http://127.0.0.1:9000',
      region: 'eu-1',
    });
  });

  it.each([
    '',
    'states',
    '/mnt/states',
    'file://host/states',
    'file:///',
    'file:///a?b=1',
    'http://bucket/a',
    's3:///a',
    's3://UPPER_case',
    's3://key:secret@bucket',
    's3://bucket?endpoint=nowhere',
    's3://bucket?regoin=eu-1',
  ])('refuses %p', (text) => {
    expect(parseStoreLocation(text)).toBeUndefined();
  });
});
