package models

import (
	"context"
	"errors"
	"net/mail"
	"strings"
	"time"

	"gorm.io/gorm"

	"countersign/agent"
)

var (
	// ErrCredentials says that the email and the password do not belong
	// together. It does not tell whether the person exists.
	ErrCredentials = errors.New("wrong email or password")
	// ErrDisabled says that the password is right and the person may not sign
	// in.
	ErrDisabled = errors.New("the person is disabled")
	// ErrNotFirst says that there are people already.
	ErrNotFirst = errors.New("there are people already")
)

// A Role is what a person may do. Who signs in is an admin or a member.
type Role = agent.Role

const (
	RoleAdmin  = agent.RoleAdmin
	RoleMember = agent.RoleMember
)

// A User is a person who may sign in.
type User struct {
	ID        agent.UserID
	Email     string // as it was given; unique whatever its case
	Name      string
	Role      Role
	Disabled  bool
	CreatedAt time.Time
	SeenAt    time.Time // about the last use of a session, zero before the first
}

// A NewUser is a person to be.
type NewUser struct {
	Email    string
	Name     string // at most 100 characters
	Role     Role
	Password Secret // 12 characters to 1024 bytes
}

// Users stores people.
type Users struct{ db *DB }

// Users returns the store of people.
func (db *DB) Users() Users { return Users{db} }

type userRow struct {
	ID           agent.UserID
	Email        string
	EmailKey     string
	Name         string
	Role         Role
	PasswordHash string
	Disabled     bool
	CreatedAt    stamp `gorm:"autoCreateTime:false"`
	SeenAt       stamp
}

func (userRow) TableName() string { return "users" }

func (r userRow) user() User {
	return User{r.ID, r.Email, r.Name, r.Role, r.Disabled, r.CreatedAt.time(), r.SeenAt.time()}
}

// Create adds a person. The error is [Invalid] if a field is, or if the email
// is taken.
func (u Users) Create(ctx context.Context, n NewUser) (User, error) {
	row, err := u.row(ctx, n)
	if err != nil {
		return User{}, err
	}
	err = u.db.write(ctx, func(tx *gorm.DB) error { return tx.Create(&row).Error })
	if isDuplicate(err) {
		return User{}, emailTaken()
	}
	return row.user(), failed(ctx, "create user", err)
}

// CreateFirstAdmin adds the first person, as an admin. If there is anybody, it
// adds nobody and returns [ErrNotFirst]: of two at once, one succeeds.
func (u Users) CreateFirstAdmin(ctx context.Context, n NewUser) (User, error) {
	n.Role = RoleAdmin
	row, err := u.row(ctx, n)
	if err != nil {
		return User{}, err
	}
	err = u.db.write(ctx, func(tx *gorm.DB) error {
		tx = tx.Exec(`INSERT INTO users (id, email, email_key, name, role, password_hash, disabled, created_at)
			SELECT ?, ?, ?, ?, ?, ?, 0, ? WHERE NOT EXISTS (SELECT 1 FROM users)`,
			row.ID, row.Email, row.EmailKey, row.Name, row.Role, row.PasswordHash, row.CreatedAt)
		if tx.Error == nil && tx.RowsAffected == 0 {
			return ErrNotFirst
		}
		return tx.Error
	})
	return row.user(), failed(ctx, "create first admin", err)
}

func (u Users) row(ctx context.Context, n NewUser) (userRow, error) {
	row := userRow{
		ID: agent.UserID(agent.NewID("u_")), Email: strings.TrimSpace(n.Email), EmailKey: emailKey(n.Email),
		Name: strings.TrimSpace(n.Name), Role: n.Role, CreatedAt: stampOf(u.db.now()),
	}
	v := Invalid{}
	v.check("email", checkEmail(row.Email))
	v.check("name", checkName(row.Name))
	v.check("password", checkPassword(n.Password))
	v.check("role", checkRole(n.Role))
	if err := v.err(); err != nil {
		return userRow{}, err
	}
	var err error
	row.PasswordHash, err = u.db.hasher.hash(ctx, n.Password)
	return row, err
}

func emailKey(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

func emailTaken() Invalid { return Invalid{"email": "This email address is taken."} }

func checkRole(r Role) string {
	if r != RoleAdmin && r != RoleMember {
		return "Choose a role."
	}
	return ""
}

func checkEmail(email string) string {
	a, err := mail.ParseAddress(email)
	if err != nil || a.Address != email || len(email) > 254 {
		return "Enter an email address such as ada@example.com."
	}
	return ""
}

// Authenticate returns the person with this email and password. The error is
// [ErrCredentials], after the same time whether or not the person exists, or
// [ErrDisabled].
func (u Users) Authenticate(ctx context.Context, email string, password Secret) (User, error) {
	row, err := u.take(ctx, "email_key = ?", emailKey(email))
	if errors.Is(err, ErrNotFound) {
		row.PasswordHash = u.db.hasher.nobody
	} else if err != nil {
		return User{}, err
	}
	if len(password.Reveal()) > maxPassword {
		password = Secret{} // nobody has it, and it must not cost more
	}
	ok, err := u.db.hasher.verify(ctx, password, row.PasswordHash)
	switch {
	case err != nil:
		return User{}, failed(ctx, "verify password", err)
	case !ok || row.ID == "":
		return User{}, ErrCredentials
	case row.Disabled:
		return User{}, ErrDisabled
	}
	return row.user(), nil
}

// Get returns a person, or [ErrNotFound].
func (u Users) Get(ctx context.Context, id agent.UserID) (User, error) {
	row, err := u.take(ctx, "id = ?", id)
	return row.user(), err
}

// ByEmail returns the person with this email, whatever its case, or
// [ErrNotFound].
func (u Users) ByEmail(ctx context.Context, email string) (User, error) {
	row, err := u.take(ctx, "email_key = ?", emailKey(email))
	return row.user(), err
}

func (u Users) take(ctx context.Context, where string, arg any) (userRow, error) {
	var row userRow
	err := u.db.read(ctx).Take(&row, where, arg).Error
	return row, failed(ctx, "read user", err)
}

// List returns everybody, in order of name.
func (u Users) List(ctx context.Context) ([]User, error) {
	var rows []userRow
	if err := u.db.read(ctx).Order("name, id").Find(&rows).Error; err != nil {
		return nil, failed(ctx, "list users", err)
	}
	list := make([]User, len(rows))
	for i, r := range rows {
		list[i] = r.user()
	}
	return list, nil
}

// Any reports whether there is anybody.
func (u Users) Any(ctx context.Context) (bool, error) {
	var rows []userRow
	err := u.db.read(ctx).Select("id").Limit(1).Find(&rows).Error
	return len(rows) > 0, failed(ctx, "read users", err)
}
