'use client';

import { useForm } from 'react-hook-form';
import { toast } from 'sonner';
import { filled, showIssues } from '@/components/form';
import { DeleteDialog } from '@/components/delete-dialog';
import { InUse } from '@/components/in-use';
import { appName } from '@/components/pickers';
import { Button } from '@/components/ui/button';
import { Dialog, DialogActions } from '@/components/ui/dialog';
import { Field, Input, SecretInput } from '@/components/ui/field';
import { ErrorNote } from '@/components/ui/states';
import { $api } from '@/lib/api';
import { ApiError } from '@/lib/api-error';
import { useOverlays } from '@/lib/overlays';
import { useRefresh } from '@/lib/queries';
import type { App } from '@/lib/types';

const FIELDS = ['api_id', 'api_hash', 'label'] as const;
const wholeNumber = (value: string): true | string => /^\s*[1-9]\d*\s*$/.test(value) || 'The api_id is a whole number.';
const leftOver = (error: unknown): unknown =>
  error !== null && ApiError.from(error).issues.length > 0 ? undefined : error;

/** Registers an app; opened from anywhere by the address. */
export function NewAppDialog() {
  const { creating, close } = useOverlays();
  if (creating !== 'app') return null;
  return (
    <Dialog
      title="Add a Telegram app"
      description="An app is an api_id and api_hash pair that Telegram gives to developers."
      onClose={close}
      className="sm:max-w-md"
    >
      <NewAppForm onClose={close} />
    </Dialog>
  );
}

function NewAppForm({ onClose }: { onClose: () => void }) {
  const refresh = useRefresh();
  const create = $api.useMutation('post', '/v1/apps');
  const { register, handleSubmit, formState, setError } = useForm({
    defaultValues: { api_id: '', api_hash: '', label: '' },
  });
  const { errors } = formState;
  const submit = handleSubmit(({ api_id, api_hash, label }) =>
    create.mutate(
      { body: { api_id: Number(api_id), api_hash: api_hash.trim(), ...filled({ label: label.trim() }) } },
      {
        onSuccess: () => {
          void refresh.apps();
          toast.success('The app is registered.');
          onClose();
        },
        onError: (thrown) => showIssues(thrown, FIELDS, setError),
      },
    ),
  );
  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="flex flex-col gap-4">
      <Field
        label="api_id"
        error={errors.api_id?.message}
        hint={
          <>
            From{' '}
            <a
              href="https://my.telegram.org/apps"
              target="_blank"
              rel="noreferrer"
              className="font-medium text-accent-ink underline underline-offset-2"
            >
              my.telegram.org
            </a>
            , under API development tools.
          </>
        }
      >
        {(wiring) => (
          <Input
            {...wiring}
            autoFocus
            inputMode="numeric"
            autoComplete="off"
            {...register('api_id', { validate: wholeNumber })}
          />
        )}
      </Field>
      <Field label="api_hash" error={errors.api_hash?.message} hint="It is stored encrypted and never shown again.">
        {(wiring) => (
          <SecretInput
            {...wiring}
            {...register('api_hash', { validate: (value) => value.trim() !== '' || 'Enter the api_hash.' })}
          />
        )}
      </Field>
      <Field label="Label" optional error={errors.label?.message} hint="How this app is called here.">
        {(wiring) => <Input {...wiring} maxLength={200} {...register('label')} />}
      </Field>
      <ErrorNote error={leftOver(create.error)} lead="The app was not added." />
      <DialogActions>
        <Button tone="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" tone="primary" pending={create.isPending}>
          Add app
        </Button>
      </DialogActions>
    </form>
  );
}

/** Renames an app, or replaces its credentials. */
export function EditAppDialog({ app, onClose }: { app: App; onClose: () => void }) {
  const refresh = useRefresh();
  const update = $api.useMutation('patch', '/v1/apps/{id}');
  const { register, handleSubmit, formState, setError } = useForm({
    defaultValues: { api_id: String(app.api_id), api_hash: '', label: app.label ?? '' },
  });
  const { errors } = formState;
  const submit = handleSubmit(({ api_id, api_hash, label }) =>
    update.mutate(
      {
        params: { path: { id: app.id } },
        body: {
          label: label.trim(),
          ...(Number(api_id) === app.api_id ? {} : { api_id: Number(api_id) }),
          ...filled({ api_hash: api_hash.trim() }),
        },
      },
      {
        onSuccess: () => {
          void refresh.apps();
          void refresh.sessions();
          toast.success('The app is changed.');
          onClose();
        },
        onError: (thrown) => showIssues(thrown, FIELDS, setError),
      },
    ),
  );
  return (
    <Dialog
      title="Edit the app"
      description="Sessions that are signed in keep what they signed in with; new ones use what stands here."
      onClose={onClose}
      className="sm:max-w-md"
    >
      <form onSubmit={(event) => void submit(event)} noValidate className="flex flex-col gap-4">
        <Field label="Label" optional error={errors.label?.message}>
          {(wiring) => <Input {...wiring} autoFocus maxLength={200} {...register('label')} />}
        </Field>
        <Field label="api_id" error={errors.api_id?.message}>
          {(wiring) => (
            <Input
              {...wiring}
              inputMode="numeric"
              autoComplete="off"
              {...register('api_id', { validate: wholeNumber })}
            />
          )}
        </Field>
        <Field label="New api_hash" optional error={errors.api_hash?.message} hint="Left empty, the stored one stays.">
          {(wiring) => <SecretInput {...wiring} {...register('api_hash')} />}
        </Field>
        <ErrorNote error={leftOver(update.error)} lead="The app was not changed." />
        <DialogActions>
          <Button tone="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" tone="primary" pending={update.isPending}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Asks, deletes, and says which sessions stand in the way. */
export function DeleteAppDialog({ app, onClose }: { app: App; onClose: () => void }) {
  const refresh = useRefresh();
  const remove = $api.useMutation('delete', '/v1/apps/{id}');
  return (
    <DeleteDialog
      thing="app"
      name={appName(app)}
      pending={remove.isPending}
      error={remove.error}
      onDelete={(onSuccess) => remove.mutate({ params: { path: { id: app.id } } }, { onSuccess })}
      onDeleted={() => void refresh.apps()}
      onClose={onClose}
      refusal={<InUse error={remove.error} />}
    >
      <p>
        Its api_hash is forgotten here. The app itself stays registered at Telegram and can be added again. An app that
        sessions use cannot be deleted.
      </p>
    </DeleteDialog>
  );
}
