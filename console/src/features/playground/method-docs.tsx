import { Bot, Check, ChevronRight, Cpu, Plus } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { cn } from '@/lib/cn';
import type { TdField, TdMethod } from '@/lib/types';
import { ClassBadge } from './method-box';
import { elementType, isOptional, type TdIndex } from './td/schema';

interface MethodDocsProps {
  index: TdIndex;
  method: TdMethod;
  /** Names that stand in the params already. */
  given: ReadonlySet<string>;
  onAdd: (field: TdField) => void;
}

/** What td_api says about a method, and its parameters with their types. */
export function MethodDocs({ index, method, given, onAdd }: MethodDocsProps) {
  return (
    <Card
      title={method.name}
      description={
        <>
          {method.description}. Answers <TypeName>{method.returns}</TypeName>.
        </>
      }
    >
      <div className="mb-4 flex flex-wrap gap-2">
        <ClassBadge method={method} />
        {method.bots_only && (
          <Badge tone="wait" icon={Bot}>
            Bots only
          </Badge>
        )}
        {method.synchronous && (
          <Badge tone="idle" icon={Cpu} title="It also works on /v1/execute, without a session.">
            Synchronous
          </Badge>
        )}
      </div>
      {method.parameters.length === 0 ? (
        <p className="text-sm text-ink-2">It takes no parameters.</p>
      ) : (
        <ul aria-label="Parameters" className="divide-y divide-line border-t border-line">
          {method.parameters.map((field) => (
            <li key={field.name} className="py-2.5">
              <FieldDocs index={index} field={field} />
              {given.has(field.name) ? (
                <p className="mt-1 flex items-center gap-1.5 text-xs font-medium text-ok">
                  <Check aria-hidden className="size-3.5" />
                  In the params
                </p>
              ) : (
                <Button
                  size="sm"
                  tone="quiet"
                  className="mt-0.5 -ml-2.5 h-7"
                  aria-label={`Add ${field.name}`}
                  onClick={() => onAdd(field)}
                >
                  <Plus aria-hidden />
                  Add
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function TypeName({ children }: { children: string }) {
  return <code className="font-mono text-xs break-all">{children}</code>;
}

function FieldDocs({ index, field }: { index: TdIndex; field: TdField }) {
  const [open, setOpen] = useState(false);
  const named = elementType(field.type) ?? field.type;
  const known = index.types.has(named);
  return (
    <div className="text-xs">
      <p className="flex flex-wrap items-center gap-x-2">
        <code className="font-mono font-semibold break-all">{field.name}</code>
        {known ? (
          <button
            type="button"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
            className="inline-flex items-center gap-0.5 rounded text-accent-ink hover:underline"
          >
            <TypeName>{field.type}</TypeName>
            <ChevronRight aria-hidden className={cn('size-3.5 transition-transform', open && 'rotate-90')} />
          </button>
        ) : (
          <span className="text-ink-2">
            <TypeName>{field.type}</TypeName>
          </span>
        )}
        {isOptional(field) && <span className="text-ink-3">optional</span>}
      </p>
      <p className="mt-0.5 text-ink-2">{field.description}</p>
      {open && <TypeDocs index={index} name={named} />}
    </div>
  );
}

function TypeDocs({ index, name }: { index: TdIndex; name: string }) {
  const type = index.types.get(name);
  if (!type) return null;
  return (
    <div className="mt-2 border-l-2 border-line pl-3">
      {type.description !== '' && <p className="text-ink-2">{type.description}</p>}
      {type.fields !== undefined && type.fields.length === 0 && <p className="text-ink-2">It has no fields.</p>}
      <ul className="flex flex-col gap-2 pt-1">
        {type.fields?.map((field) => (
          <li key={field.name}>
            <FieldDocs index={index} field={field} />
          </li>
        ))}
        {type.one_of?.map((option) => (
          <li key={option}>
            <FieldDocs
              index={index}
              field={{ name: '@type', type: option, description: index.types.get(option)?.description ?? '' }}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}
