import { useForm, useWatch } from 'react-hook-form';
import { showIssues } from '@/components/form';
import { Button } from '@/components/ui/button';
import { DialogActions } from '@/components/ui/dialog';
import { Field, Input, SecretInput, Select } from '@/components/ui/field';
import { ErrorNote } from '@/components/ui/states';
import { ApiError } from '@/lib/api-error';
import type { ProxyType } from '@/lib/types';
import { parseProxyLink } from './proxy-link';

/** The form's values; everything is text until it is sent. */
export interface ProxyValues {
  type: ProxyType;
  host: string;
  port: string;
  username: string;
  password: string;
  secret: string;
  label: string;
}

export const NO_PROXY: ProxyValues = {
  type: 'socks5',
  host: '',
  port: '',
  username: '',
  password: '',
  secret: '',
  label: '',
};

const FIELDS = ['type', 'host', 'port', 'username', 'password', 'secret', 'label'] as const;
const TYPES: readonly [ProxyType, string][] = [
  ['socks5', 'SOCKS5'],
  ['http', 'HTTP'],
  ['mtproto', 'MTProto'],
];

const portIsFine = (value: string): true | string => {
  const port = Number(value);
  return (Number.isInteger(port) && port >= 1 && port <= 65_535) || 'A port is a number from 1 to 65535.';
};

interface ProxyFormProps {
  initial: ProxyValues;
  /** Whether a secret is already stored, so that an empty input keeps it. */
  hasStored: boolean;
  action: string;
  lead: string;
  pending: boolean;
  error: unknown;
  onSubmit: (values: ProxyValues, refuse: (thrown: unknown) => void) => void;
  onClose: () => void;
}

/** The fields of a proxy; a pasted link fills them. */
export function ProxyForm({ initial, hasStored, action, lead, pending, error, onSubmit, onClose }: ProxyFormProps) {
  const { register, handleSubmit, formState, setError, setValue, control } = useForm<ProxyValues>({
    defaultValues: initial,
  });
  const { errors } = formState;
  const type = useWatch({ control, name: 'type' });
  const submit = handleSubmit((values) => onSubmit(values, (thrown) => showIssues(thrown, FIELDS, setError)));
  const failure = error === null || error === undefined ? undefined : ApiError.from(error);
  const kept = hasStored ? 'Left empty, the stored one stays.' : undefined;

  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="flex flex-col gap-4">
      {!hasStored && (
        <Field
          label="Proxy link"
          optional
          hint="Paste socks5://user:pass@host:port, http://… or a tg://proxy link, and the fields below are filled."
        >
          {(wiring) => (
            <SecretInput
              {...wiring}
              autoFocus
              onChange={(event) => {
                const parsed = parseProxyLink(event.target.value);
                if (!parsed) return;
                for (const [name, value] of Object.entries(parsed)) {
                  setValue(name as keyof ProxyValues, value as never, { shouldDirty: true });
                }
              }}
            />
          )}
        </Field>
      )}
      <div className="grid grid-cols-[7rem_1fr] gap-4 sm:grid-cols-[8rem_1fr_6.5rem]">
        <Field label="Type" error={errors.type?.message}>
          {(wiring) => (
            <Select {...wiring} {...register('type')}>
              {TYPES.map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Host" error={errors.host?.message}>
          {(wiring) => (
            <Input
              {...wiring}
              autoFocus={hasStored}
              autoComplete="off"
              placeholder="10.20.0.5"
              {...register('host', { validate: (value) => value.trim() !== '' || 'Enter the host.' })}
            />
          )}
        </Field>
        <Field label="Port" error={errors.port?.message} className="col-span-2 sm:col-span-1">
          {(wiring) => (
            <Input
              {...wiring}
              inputMode="numeric"
              autoComplete="off"
              placeholder="1080"
              {...register('port', { validate: portIsFine })}
            />
          )}
        </Field>
      </div>
      {type === 'mtproto' ? (
        <Field label="Secret" error={errors.secret?.message} hint={kept}>
          {(wiring) => (
            <SecretInput
              {...wiring}
              {...register('secret', {
                validate: (value) =>
                  value.trim() !== '' ||
                  (hasStored && initial.type === 'mtproto') ||
                  'An MTProto proxy needs its secret.',
              })}
            />
          )}
        </Field>
      ) : (
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="User" optional error={errors.username?.message}>
            {(wiring) => <Input {...wiring} autoComplete="off" {...register('username')} />}
          </Field>
          <Field label="Password" optional error={errors.password?.message} hint={kept}>
            {(wiring) => <SecretInput {...wiring} {...register('password')} />}
          </Field>
        </div>
      )}
      <Field label="Label" optional error={errors.label?.message}>
        {(wiring) => <Input {...wiring} maxLength={200} placeholder="Frankfurt" {...register('label')} />}
      </Field>
      <ErrorNote error={failure && failure.issues.length === 0 ? failure : undefined} lead={lead} />
      <DialogActions>
        <Button tone="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" tone="primary" pending={pending}>
          {action}
        </Button>
      </DialogActions>
    </form>
  );
}
