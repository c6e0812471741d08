import { clsx, type ClassValue } from 'clsx';
import { twMerge } from 'tailwind-merge';

/** Joins class names; of two utilities that contradict each other the later one stays. */
export function cn(...values: ClassValue[]): string {
  return twMerge(clsx(values));
}
