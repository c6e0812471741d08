import { toast } from 'sonner';
import { DeleteDialog } from '@/components/delete-dialog';
import { Dialog } from '@/components/ui/dialog';
import { $api } from '@/lib/api';
import { useRefresh } from '@/lib/queries';
import type { LimitRule } from '@/lib/types';
import { ruleName } from './limit-words';
import { RuleForm } from './rule-form';

/** Makes a rule. */
export function NewRuleDialog({ onClose }: { onClose: () => void }) {
  const refresh = useRefresh();
  const create = $api.useMutation('post', '/v1/limits');
  return (
    <Dialog
      title="Make a rule"
      description="What goes beyond it is refused here, and Telegram is not asked."
      onClose={onClose}
      className="sm:max-w-xl"
    >
      <RuleForm
        action="Make the rule"
        lead="The rule was not made."
        pending={create.isPending}
        error={create.error}
        onClose={onClose}
        onSubmit={({ target, methods, max, per, timezone, label }) =>
          create.mutate(
            {
              body: {
                level: target.token_id === undefined ? 'session' : 'token',
                ...target,
                methods: [...methods],
                max,
                per,
                ...(timezone === undefined ? {} : { timezone }),
                ...(label === '' ? {} : { label }),
              },
            },
            {
              onSuccess: () => {
                void refresh.limits();
                toast.success('The rule is made.');
                onClose();
              },
            },
          )
        }
      />
    </Dialog>
  );
}

/** Changes what a rule says; what it has counted goes on. */
export function EditRuleDialog({ rule, onClose }: { rule: LimitRule; onClose: () => void }) {
  const refresh = useRefresh();
  const update = $api.useMutation('patch', '/v1/limits/{id}');
  return (
    <Dialog
      title={`Edit ${ruleName(rule)}`}
      description="Workers go by it within two seconds."
      onClose={onClose}
      className="sm:max-w-xl"
    >
      <RuleForm
        rule={rule}
        action="Save"
        lead="The rule was not changed."
        pending={update.isPending}
        error={update.error}
        onClose={onClose}
        onSubmit={({ methods, max, per, timezone, label }) =>
          update.mutate(
            {
              params: { path: { id: rule.id } },
              body: { methods: [...methods], max, per, ...(timezone === undefined ? {} : { timezone }), label },
            },
            {
              onSuccess: () => {
                void refresh.limits();
                toast.success('The rule is changed.');
                onClose();
              },
            },
          )
        }
      />
    </Dialog>
  );
}

/** Asks, then removes a rule. */
export function DeleteRuleDialog({ rule, onClose }: { rule: LimitRule; onClose: () => void }) {
  const refresh = useRefresh();
  const remove = $api.useMutation('delete', '/v1/limits/{id}');
  return (
    <DeleteDialog
      thing="rule"
      name={ruleName(rule)}
      pending={remove.isPending}
      error={remove.error}
      onDelete={(onSuccess) => remove.mutate({ params: { path: { id: rule.id } } }, { onSuccess })}
      onDeleted={() => void refresh.limits()}
      onClose={onClose}
    >
      <p>
        What it has counted goes with it, and rules in whose place it stood count again. To keep it for later, switch it
        off instead.
      </p>
    </DeleteDialog>
  );
}
